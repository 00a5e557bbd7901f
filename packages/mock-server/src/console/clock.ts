import type { Hono } from 'hono'
import { html } from 'hono/html'
import type { Duration } from '../clock/duration.ts'
import type { ConsoleParts } from './console-parts.ts'
import { fieldsOf } from './fields.ts'
import type { Html } from './markup.ts'
import { page } from './page.ts'
import { instant } from './time-text.ts'

/** The service's time, and moving it. */
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
  return page(parts, {
    title: 'Clock',
    section: 'Clock',
    content: html`
      <div class="heading"><h1>Clock</h1></div>
      ${parts.timeline.mode === 'virtual' ? virtualClock(parts) : realClock()}`,
  })
}

/** What is worth waiting for: the pauses between attempts, half a day, and the whole span of retries. */
const JUMPS = ['30s', '5m', '30m', '2h', '12h', '26h40m']

function virtualClock({ timeline }: ConsoleParts): Html {
  return html`<section class="card">
    <p class="now" id="now" data-live>${instant(timeline.now())} <span class="dim">UTC</span></p>
    <p class="dim">Time stands still until you move it. Everything that falls due on the way is done, in order.</p>
    <form method="post" action="/console/clock/advance" class="jumps" aria-label="Move time on">
      ${JUMPS.map((jump) => html`<button name="duration" value="${jump}">+${jump}</button>`)}
    </form>
    <form method="post" action="/console/clock/advance" class="line">
      <label>By <input name="duration" required placeholder="1h30m" pattern="(\\d+h)?(\\d+m)?(\\d+s)?" title="Hours, minutes and seconds, such as 1h30m" /></label>
      <button>Move on</button>
    </form>
    <form method="post" action="/console/clock/settle" class="inline"><button class="primary">Until all is quiet</button></form>
  </section>`
}

function realClock(): Html {
  return html`<section class="card">
    <p>The service lives in real time, as receivers elsewhere need it: they refuse timestamps that are off by more than five minutes.</p>
    <p class="dim">Started with <code>--clock virtual</code>, it moves through twelve hours at a press, beside a receiver that is given the same time.</p>
  </section>`
}
