import { html } from 'hono/html'
import type { ServiceParts } from '../api/service-parts.ts'
import type { Forms } from './forms.ts'
import { type Html, instant, page } from './page.ts'

export const clockForms: Forms = {
  '/console/clock/advance': {
    operation: 'POST /control/clock/advance',
    input: ({ text }) => ({ by: text('duration').replaceAll(' ', '') }),
    next: () => '/console/clock',
  },
  '/console/clock/settle': { operation: 'POST /control/clock/settle', next: () => '/console/clock' },
}

/** The page of the clock. */
export function clockPage(parts: ServiceParts): Html {
  const content = html`<div class="heading"><h1>Clock</h1></div>
    ${parts.timeline.mode === 'virtual' ? virtualClock(parts) : realClock()}`
  return page(parts, { title: 'Clock', section: 'Clock', content })
}

/** The delays between attempts, and the time from the first attempt to the last. */
const JUMPS = ['30s', '5m', '30m', '2h', '12h', '26h40m']

function virtualClock({ timeline }: ServiceParts): Html {
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
