import type { Hono } from 'hono'
import { html } from 'hono/html'
import type { Duration } from '../clock/duration.ts'
import { type ConsoleParts, fieldsOf, type Html, instant, page } from './page.ts'

/** The page of the clock. */
export function mountClock(pages: Hono, parts: ConsoleParts): void {
  const { timeline } = parts

  pages.get('/console/clock', (context) => context.html(clockPage(parts)))

  pages.post('/console/clock/advance', async (context) => {
    const duration = (await fieldsOf(context)).text('duration').replaceAll(' ', '')
    await timeline.advance(duration as Duration)
    return context.redirect('/console/clock', 303)
  })

  pages.post('/console/clock/settle', async (context) => {
    if (timeline.mode === 'virtual') await timeline.settled()
    return context.redirect('/console/clock', 303)
  })
}

function clockPage(parts: ConsoleParts): Html {
  const content = html`<div class="heading"><h1>Clock</h1></div>
    ${parts.timeline.mode === 'virtual' ? virtualClock(parts) : realClock()}`
  return page(parts, { title: 'Clock', section: 'Clock', content })
}

/** The delays between attempts, and the time from the first attempt to the last. */
const JUMPS = ['30s', '5m', '30m', '2h', '12h', '26h40m']

function virtualClock({ timeline }: ConsoleParts): Html {
  return html`<section class="card">
    <p class="now" id="now" data-live>${instant(timeline.now())} <span class="dim">UTC</span></p>
    <p class="dim">The virtual clock advances only when you advance it. Everything that is due until then happens in order of time.</p>
    <form method="post" action="/console/clock/advance" class="jumps" aria-label="Advance the clock">
      ${JUMPS.map((jump) => html`<button name="duration" value="${jump}">+${jump}</button>`)}
    </form>
    <form method="post" action="/console/clock/advance" class="line">
      <label>By <input name="duration" required placeholder="1h30m" pattern="(\\d+h)?(\\d+m)?(\\d+s)?" title="Hours, minutes and seconds, such as 1h30m" /></label>
      <button>Advance</button>
    </form>
    <form method="post" action="/console/clock/settle" class="inline"><button class="primary">Until nothing is pending</button></form>
  </section>`
}

function realClock(): Html {
  return html`<section class="card">
    <p>The mock server uses the machine's clock, because receivers reject timestamps that are more than five minutes off.</p>
    <p class="dim">To skip hours of retries, start it with <code>--clock virtual</code>, and give your receiver the same time.</p>
  </section>`
}
