import { systemClock } from '@notewire/protocol'
import { bodyLimit } from 'hono/body-limit'
import { html } from 'hono/html'
import { type SSEStreamingApi, streamSSE } from 'hono/streaming'
import { Hono } from 'hono/tiny'
import type { ServiceParts } from '../api/service-parts.ts'
import { createControlApi, statusOf } from '../control/control-api.ts'
import { CONTROL_OPERATIONS, type Route } from '../control/control-operations.ts'
import { consoleHeaders, refusalOf, type Visitor } from '../control/guard.ts'
import type { ControlOperation } from '../control/operation.ts'
import { MockServerError } from '../errors/mock-server-error.ts'
import { URL } from '../runtime/web-classes.ts'
import { inputOf } from './fields.ts'
import { button, formsOf, idsOf } from './form.ts'
import { codeBlock, type Html, instant, messagePage, page } from './page.ts'
import { SCRIPT } from './script.ts'
import { mountSection } from './section.ts'
import { SECTIONS } from './sections.ts'
import { STYLESHEET } from './stylesheet.ts'

const MAX_FORM_BYTES = 256 * 1024
/** How often an open page is rendered again, in milliseconds of the machine's time. */
const LIVE_EVERY_MS = 400
/** Proxies and browsers close a silent connection after a while. */
const HEARTBEAT_MS = 15_000
/** The delays between attempts, and the time from the first attempt to the last. */
const JUMPS = ['30s', '5m', '30m', '2h', '12h', '26h40m']

export type AnswerConsole = (request: Request, visitor: Visitor) => Promise<Response>

/** The console at `/console`, in which people control the service (contract §2, §6), and the control API at `/control`. */
export function createConsole(service: ServiceParts): AnswerConsole {
  const answerControl = createControlApi(service)
  const pages = createPages(service)
  return async (request, visitor) => {
    const isControl = new URL(request.url).pathname.startsWith('/control')
    const refusal = refusalOf(request, visitor)
    if (refusal === undefined) return consoleHeaders(await (isControl ? answerControl(request) : pages.fetch(request)))
    const { code, message, problem, remedy } = new MockServerError('console_refused', refusal.problem, refusal.remedy)
    const json = () => Response.json({ error: { code, message, problem, remedy } }, { status: 403 })
    return consoleHeaders(isControl ? json() : new Response(`${message}\n`, { status: 403 }))
  }
}

function createPages(parts: ServiceParts): Hono {
  const pages = new Hono()
  pages.use(bodyLimit({ maxSize: MAX_FORM_BYTES }))
  pages.onError((error, context) => {
    // Anything else is a bug of the mock server.
    if (!(error instanceof MockServerError)) throw error
    return context.html(messagePage(parts, 'Request refused', error), statusOf(error))
  })
  pages.notFound((context) => context.html(messagePage(parts, 'Page not found', PAGE_MISSING), 404))
  pages.get('/console', (context) => context.redirect('/console/deliveries'))
  pages.get('/console/console.css', (context) => context.body(STYLESHEET, 200, { 'content-type': 'text/css' }))
  pages.get('/console/console.js', (context) => context.body(SCRIPT, 200, { 'content-type': 'text/javascript' }))
  for (const section of SECTIONS) mountSection(pages, parts, section)
  pages.get('/console/clock', (context) => context.html(clockPage(parts)))
  mountForms(pages, parts)
  mountLiveUpdates(pages)
  return pages
}

const PAGE_MISSING = {
  problem: 'This page does not exist, or what it showed was deleted',
  remedy: 'Choose another page above.',
}

function clockPage(parts: ServiceParts): Html {
  const next = '/console/clock'
  const { mode } = parts.timeline
  const jump = (by: string) => button('POST /control/clock/advance', `+${by}`, { given: { by }, next })
  const content =
    mode === 'real'
      ? html`<p>The mock server uses the machine's clock, because receivers reject timestamps that are more than five minutes off.</p>
          <p class="dim">To skip hours of retries, start it with <code>--clock virtual</code>, and give your receiver the same time.</p>`
      : html`<p class="now" id="now" data-live>${instant(parts.timeline.now())}</p>
          <p class="dim">The virtual clock advances only when you advance it. Everything that is due until then happens in order of time.</p>
          <div class="acts">${JUMPS.map(jump)}</div>
          <div class="columns">${formsOf(parts, 'POST /control/clock/advance', { next })} ${formsOf(parts, 'POST /control/clock/settle', { next })}</div>`
  return page(parts, { title: 'Clock', section: next, content: html`<h1>Clock</h1><section>${content}</section>` })
}

/** Performs the operations of the forms (`form.ts`), and shows keys and signing secrets once (contract §2). */
function mountForms(pages: Hono, parts: ServiceParts): void {
  const secrets = new Map<string, { readonly secret: string; readonly next: string }>()

  pages.post('/console/act', async (context) => {
    const form = await context.req.formData().catch(() => undefined)
    const texts = new URLSearchParams([...(form ?? [])].map(([name, value]) => [name, String(value)]))
    const [route, next] = [texts.get('operation') ?? '', texts.get('next') ?? '']
    if (!isChange(route) || !/^\/console\P{Cc}*$/u.test(next)) throw formMalformed()
    const { input, perform }: ControlOperation = CONTROL_OPERATIONS[route]
    const ids = new Map(idsOf(route).map((name) => [name, texts.get(name) ?? '']))
    for (const name of ['operation', 'next', ...ids.keys()]) texts.delete(name)
    const given = inputOf(input, texts, route.startsWith('PATCH'))
    const answer = { ...(await perform(parts, (name) => ids.get(name) ?? '', given)) } as Readonly<
      Record<string, string>
    >
    const shown = next.replace(/\{(\w+)\}/g, (_, name: string) => answer[name] ?? '')
    const secret = answer['signing_secret'] ?? answer['api_key'] ?? answer['key']
    if (secret === undefined) return context.redirect(shown, 303)
    const ticket = crypto.randomUUID()
    secrets.set(ticket, { secret, next: shown })
    return context.redirect(`/console/shown-once/${ticket}`, 303)
  })

  pages.get('/console/shown-once/:ticket', (context) => {
    const ticket = context.req.param('ticket')
    const kept = secrets.get(ticket)
    secrets.delete(ticket)
    if (kept !== undefined) return context.html(secretPage(parts, kept.secret, kept.next))
    const problem = 'this secret was already shown, and is shown only once'
    return context.html(messagePage(parts, 'Already shown', { problem, remedy: 'Create a new one.' }), 410)
  })
}

function isChange(route: string): route is Route {
  return Object.hasOwn(CONTROL_OPERATIONS, route) && !route.startsWith('GET')
}

function formMalformed(): MockServerError {
  const remedy = 'Send it from a page of the console. Programs use the control API.'
  return new MockServerError('form_malformed', 'the form cannot be read', remedy)
}

function secretPage(parts: ServiceParts, secret: string, next: string): Html {
  const [title, advice] = secret.startsWith('whsec_')
    ? ['Signing secret', 'Store it in the configuration of the receiver. Keep it secret: it can sign deliveries.']
    : ['API key', 'Store it in the configuration of the client, and keep it out of logs and URLs.']
  const content = html`<h1>${title}</h1>
    <section class="card">
      <p><strong>Shown only once.</strong> ${advice}</p>
      ${codeBlock('secret', secret)}
      <p><a class="button" href="${next}">I have copied it</a></p>
    </section>`
  return page(parts, { title, content })
}

/** Keeps open pages up to date: a page is rendered again and again, and sent when it has changed. */
function mountLiveUpdates(pages: Hono): void {
  pages.get('/console/live', (context) => {
    const url = URL.parse(context.req.query('page') ?? '', context.req.url)
    const isPage = url !== null && /^\/console\/(?!live|shown-once)\w/.test(url.pathname)
    if (!isPage || url.origin !== new URL(context.req.url).origin) return context.notFound()
    return streamSSE(context, (stream) => update(stream, async () => (await pages.fetch(new Request(url))).text()))
  })
}

async function update(stream: SSEStreamingApi, makePage: () => Promise<string>): Promise<void> {
  let shown = ''
  let sentAt = 0
  while (!stream.aborted) {
    const page = await makePage()
    const isSilent = systemClock.now() - sentAt >= HEARTBEAT_MS
    if (page !== shown) await stream.writeSSE({ data: JSON.stringify(page) })
    else if (isSilent) await stream.write(': still here\n\n')
    if (page !== shown || isSilent) sentAt = systemClock.now()
    shown = page
    await systemClock.sleep(LIVE_EVERY_MS)
  }
}
