import { bodyLimit } from 'hono/body-limit'
import { Hono } from 'hono/tiny'
import type { ServiceParts } from '../api/service-parts.ts'
import { createControlApi } from '../control/control-api.ts'
import { consoleHeaders, refusalOf, type Visitor } from '../control/guard.ts'
import { MockServerError } from '../errors/mock-server-error.ts'
import { clockPage } from './clock.ts'
import { deliveriesPage, deliveryPage } from './deliveries.ts'
import { endpointPage, endpointsPage } from './endpoints.ts'
import { faultPage, faultsPage } from './faults.ts'
import { mountForms } from './forms.ts'
import { integrationsPage } from './integrations.ts'
import { mountLiveUpdates } from './live.ts'
import { notePage, notesPage } from './notes.ts'
import { messagePage } from './page.ts'
import { requestPage, requestsPage } from './requests.ts'
import { SCRIPT } from './script.ts'
import { STYLESHEET } from './stylesheet.ts'

const MAX_FORM_BYTES = 256 * 1024

export type AnswerConsole = (request: Request, visitor: Visitor) => Promise<Response>

type Answer = (request: Request) => Response | Promise<Response>

/** The console at `/console`, in which people control the service (contract §2, §6), and the control API at `/control`. */
export function createConsole(service: ServiceParts): AnswerConsole {
  const answerControl = createControlApi(service)
  const answerPage = createPages(service, answerControl)
  return async (request, visitor) => {
    const isControl = new URL(request.url).pathname.startsWith('/control')
    const refusal = refusalOf(request, visitor)
    if (refusal === undefined) return consoleHeaders(await (isControl ? answerControl(request) : answerPage(request)))
    const { code, message, problem, remedy } = new MockServerError('console_refused', refusal.problem, refusal.remedy)
    const json = () => Response.json({ error: { code, message, problem, remedy } }, { status: 403 })
    return consoleHeaders(isControl ? json() : new Response(`${message}\n`, { status: 403 }))
  }
}

function createPages(parts: ServiceParts, answerControl: Answer): Answer {
  const pages = new Hono()
  pages.use(bodyLimit({ maxSize: MAX_FORM_BYTES }))
  pages.onError((error, context) => {
    // Anything else is a bug of the mock server.
    if (!(error instanceof MockServerError)) throw error
    return context.html(
      messagePage(parts, 'Request refused', error),
      /_(malformed|invalid)$/.test(error.code) ? 422 : 404,
    )
  })
  pages.notFound((context) => context.html(messagePage(parts, 'Page not found', PAGE_MISSING), 404))
  pages.get('/console', (context) => context.redirect('/console/deliveries'))
  pages.get('/console/console.css', (context) => context.body(STYLESHEET, 200, { 'content-type': 'text/css' }))
  pages.get('/console/console.js', (context) => context.body(SCRIPT, 200, { 'content-type': 'text/javascript' }))

  pages.get('/console/deliveries', (context) => context.html(deliveriesPage(parts, context)))
  pages.get('/console/deliveries/:id', (context) => context.html(deliveryPage(parts, context.req.param('id'))))
  pages.get('/console/notes', (context) => context.html(notesPage(parts, context)))
  pages.get('/console/notes/:id', (context) => context.html(notePage(parts, context.req.param('id'))))
  pages.get('/console/endpoints', (context) => context.html(endpointsPage(parts, context)))
  pages.get('/console/endpoints/:id', (context) => context.html(endpointPage(parts, context.req.param('id'))))
  pages.get('/console/integrations', (context) => context.html(integrationsPage(parts, context)))
  pages.get('/console/clock', (context) => context.html(clockPage(parts)))
  pages.get('/console/requests', (context) => context.html(requestsPage(parts, context)))
  pages.get('/console/requests/:id', (context) => context.html(requestPage(parts, context.req.param('id'))))
  pages.get('/console/faults', (context) => context.html(faultsPage(parts)))
  pages.get('/console/faults/:id', (context) => context.html(faultPage(parts, context.req.param('id'))))
  mountForms(pages, parts, answerControl)
  mountLiveUpdates(pages)
  return (request) => pages.fetch(request)
}

const PAGE_MISSING = {
  problem: 'This page does not exist, or what it showed was deleted',
  remedy: 'Choose another page above.',
}
