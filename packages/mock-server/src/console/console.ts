import { NotewireError } from '@notewire/protocol'
import { bodyLimit } from 'hono/body-limit'
import { Hono } from 'hono/tiny'
import { mountClock } from './clock.ts'
import type { ConsoleParts } from './console-parts.ts'
import { mountDeliveries } from './deliveries.ts'
import { mountEndpoints } from './endpoints.ts'
import { mountFaults } from './faults.ts'
import { consoleHeaders, refusalOf, type Visitor } from './guard.ts'
import { mountIntegrations } from './integrations.ts'
import { mountLiveUpdates } from './live.ts'
import { mountNotes } from './notes.ts'
import { messagePage } from './page.ts'
import { SCRIPT } from './script.ts'
import { ShownOnce } from './shown-once.ts'
import { STYLESHEET } from './stylesheet.ts'

const MAX_FORM_BYTES = 256 * 1024

/** Answers a request to the console, from where it came. */
export type AnswerConsole = (request: Request, visitor: Visitor) => Promise<Response>

/** The console at `/console`: what the contract says that a console does (§2, §6), and what the developer of a receiver needs. */
export function createConsole(parts: ConsoleParts): AnswerConsole {
  const pages = new Hono()
  pages.use(bodyLimit({ maxSize: MAX_FORM_BYTES }))
  pages.onError((error, context) => {
    // What cannot be done is said to whoever tried; anything else is a fault of this service.
    if (!(error instanceof NotewireError)) throw error
    return context.html(messagePage(parts, 'That cannot be done', error.message), 422)
  })
  pages.notFound((context) =>
    context.html(messagePage(parts, 'Nothing here', 'There is no such page, or what it showed is gone.'), 404),
  )
  pages.get('/console', (context) => context.redirect('/console/deliveries'))
  pages.get('/console/console.css', (context) => context.body(STYLESHEET, 200, { 'content-type': 'text/css' }))
  pages.get('/console/console.js', (context) => context.body(SCRIPT, 200, { 'content-type': 'text/javascript' }))

  const shownOnce = new ShownOnce()
  mountDeliveries(pages, parts)
  mountNotes(pages, parts)
  mountEndpoints(pages, parts, shownOnce)
  mountIntegrations(pages, parts, shownOnce)
  mountClock(pages, parts)
  mountFaults(pages, parts)
  shownOnce.mount(pages, parts)
  mountLiveUpdates(pages)

  return async (request, visitor) => {
    const refusal = refusalOf(request, visitor)
    const answer = refusal === undefined ? await pages.fetch(request) : new Response(`${refusal}\n`, { status: 403 })
    return consoleHeaders(answer)
  }
}
