import { html } from 'hono/html'
import type { ServiceParts } from '../api/service-parts.ts'
import { actButton, controlForm, type Html, instant, page } from './page.ts'

const PAGE = '/console/clock'
const ADVANCE = 'POST /control/clock/advance'

export function clockPage(parts: ServiceParts): Html {
  const content = html`<div class="heading"><h1>Clock</h1></div>
    <section class="card">${parts.timeline.mode === 'virtual' ? virtualClock(parts) : REAL_CLOCK}</section>`
  return page(parts, { title: 'Clock', section: 'Clock', content })
}

/** The delays between attempts, and the time from the first attempt to the last. */
const JUMPS = ['30s', '5m', '30m', '2h', '12h', '26h40m']

function virtualClock({ timeline }: ServiceParts): Html {
  const jumps = html`${JUMPS.map((jump) => html`<button name="by" value="${jump}">+${jump}</button>`)}`
  const other = html`<label>By <input name="by" required placeholder="1h30m" pattern="(\\d+h)?(\\d+m)?(\\d+s)?" title="Hours, minutes and seconds, such as 1h30m" /></label>
    <button>Advance</button>`
  return html`<p class="now" id="now" data-live>${instant(timeline.now())} <span class="dim">UTC</span></p>
    <p class="dim">The virtual clock advances only when you advance it. Everything that is due until then happens in order of time.</p>
    ${controlForm('jumps', ADVANCE, PAGE, jumps)}
    ${controlForm('line', ADVANCE, PAGE, other)}
    ${actButton('settle', 'POST /control/clock/settle', PAGE, 'Until nothing is pending', { look: 'primary' })}`
}

const REAL_CLOCK = html`<p>The mock server uses the machine's clock, because receivers reject timestamps that are more than five minutes off.</p>
  <p class="dim">To skip hours of retries, start it with <code>--clock virtual</code>, and give your receiver the same time.</p>`
