import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { Hono } from 'hono/tiny'
import type { ServiceParts } from '../api/service-parts.ts'
import { createControlApi } from '../control/control-api.ts'
import { consoleHeaders, refusalOf, type Visitor } from '../control/guard.ts'
import { MockServerError, type MockServerErrorCode } from '../errors/mock-server-error.ts'
import { clockForms, clockPage } from './clock.ts'
import { deliveriesPage, deliveryForms, deliveryPage } from './deliveries.ts'
import { endpointForms, endpointPage, endpointsPage } from './endpoints.ts'
import { faultForms, faultsPage } from './faults.ts'
import { mountForms } from './forms.ts'
import { integrationForms, integrationsPage } from './integrations.ts'
import { mountLiveUpdates } from './live.ts'
import { noteForms, notePage, notesPage } from './notes.ts'
import { type Html, messagePage } from './page.ts'
import { SCRIPT } from './script.ts'
import { ShownOnce } from './shown-once.ts'
import { STYLESHEET } from './stylesheet.ts'

const MAX_FORM_BYTES = 256 * 1024

/** Answers a request to the console or the control API. */
export type AnswerConsole = (request: Request, visitor: Visitor) => Promise<Response>

/** The console at `/console`, in which people control the service (contract §2, §6), and the control API at `/control`. */
export function createConsole(service: ServiceParts): AnswerConsole {
  const answerControl = createControlApi(service)
  const answerPage = createPages(service)
  return async (request, visitor) => {
    const isControl = new URL(request.url).pathname.startsWith('/control')
    const refusal = refusalOf(request, visitor)
    if (refusal !== undefined)
      return consoleHeaders(forbidden(new MockServerError('console_refused', refusal), isControl))
    return consoleHeaders(await (isControl ? answerControl(request) : answerPage(request)))
  }
}

function forbidden({ code, message, problem, remedy }: MockServerError, isControl: boolean): Response {
  if (!isControl) return new Response(`${message}\n`, { status: 403 })
  return Response.json({ error: { code, message, problem, remedy } }, { status: 403 })
}

function createPages(parts: ServiceParts): (request: Request) => Response | Promise<Response> {
  const pages = new Hono()
  pages.use(bodyLimit({ maxSize: MAX_FORM_BYTES }))
  pages.onError((error, context) => {
    // Anything else is a bug of the mock server.
    if (!(error instanceof MockServerError)) throw error
    return context.html(messagePage(parts, 'Request refused', error), MISSING.has(error.code) ? 404 : 422)
  })
  pages.notFound((context) => context.html(messagePage(parts, 'Page not found', PAGE_MISSING), 404))
  pages.get('/console', (context) => context.redirect('/console/deliveries'))
  pages.get('/console/console.css', (context) => context.body(STYLESHEET, 200, { 'content-type': 'text/css' }))
  pages.get('/console/console.js', (context) => context.body(SCRIPT, 200, { 'content-type': 'text/javascript' }))

  pages.get('/console/deliveries', (context) => context.html(deliveriesPage(parts, context)))
  pages.get('/console/deliveries/:id', (context) => shown(context, deliveryPage(parts, context.req.param('id'))))
  pages.get('/console/notes', (context) => context.html(notesPage(parts, context)))
  pages.get('/console/notes/:id', (context) => context.html(notePage(parts, context.req.param('id'))))
  pages.get('/console/endpoints', (context) => context.html(endpointsPage(parts, context)))
  pages.get('/console/endpoints/:id', (context) => shown(context, endpointPage(parts, context.req.param('id'))))
  pages.get('/console/integrations', (context) => context.html(integrationsPage(parts, context)))
  pages.get('/console/clock', (context) => context.html(clockPage(parts)))
  pages.get('/console/faults', (context) => context.html(faultsPage(parts)))

  const shownOnce = new ShownOnce()
  mountForms(pages, parts, {
    ...deliveryForms,
    ...noteForms,
    ...endpointForms(shownOnce),
    ...integrationForms(shownOnce),
    ...clockForms,
    ...faultForms,
  })
  shownOnce.mount(pages, parts)
  mountLiveUpdates(pages)
  return (request) => pages.fetch(request)
}

function shown(context: Context, content: Html | undefined): Response | Promise<Response> {
  return content === undefined ? context.notFound() : context.html(content)
}

/** The path of the request names something that does not exist. */
const MISSING: ReadonlySet<MockServerErrorCode> = new Set([
  'delivery_unknown',
  'endpoint_unknown',
  'integration_unknown',
  'key_unknown',
  'note_unknown',
  'owner_unknown',
])

const PAGE_MISSING = {
  problem: 'This page does not exist, or what it showed was deleted',
  remedy: 'Choose another page above.',
}
