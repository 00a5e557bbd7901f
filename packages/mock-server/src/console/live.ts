import { systemClock } from '@notewire/protocol'
import type { Hono } from 'hono'

/** How often an open page is rendered again, in milliseconds of the machine's time. */
const EVERY_MS = 400
/** Proxies and browsers close a silent connection after a while. */
const HEARTBEAT_MS = 15_000

/**
 * Keeps open pages up to date with server-sent events. An open page is rendered again and again, and sent when it has changed. So
 * the world, the engine and the clock need not announce their changes.
 */
export function mountLiveUpdates(pages: Hono): void {
  pages.get('/console/live', (context) => {
    const url = new URL(context.req.query('page') ?? '', context.req.url)
    if (url.origin !== new URL(context.req.url).origin || !isPage(url.pathname)) return context.notFound()
    const updates = streamOf(async () => (await pages.fetch(new Request(url))).text())
    return context.body(updates, 200, { 'content-type': 'text/event-stream' })
  })
}

function isPage(path: string): boolean {
  return /^\/console\/(deliveries|notes|endpoints|integrations|clock|faults)(\/|$)/.test(path)
}

/** A pulled stream: nothing is rendered for a browser that does not read. */
function streamOf(makePage: () => Promise<string>): ReadableStream<Uint8Array> {
  const leaving = new AbortController()
  const updates = updatesOf(makePage, leaving.signal)
  const encoder = new TextEncoder()
  return new ReadableStream(
    {
      async pull(controller) {
        const { value } = await updates.next()
        if (value !== undefined) controller.enqueue(encoder.encode(value))
      },
      cancel: () => leaving.abort(),
    },
    { highWaterMark: 0 },
  )
}

async function* updatesOf(makePage: () => Promise<string>, leaving: AbortSignal): AsyncGenerator<string, undefined> {
  let shown: string | undefined
  let silentMs = 0
  while (!leaving.aborted) {
    const page = await makePage()
    if (page !== shown) yield `data: ${JSON.stringify(page)}\n\n`
    else if (silentMs >= HEARTBEAT_MS) yield ': still here\n\n'
    silentMs = page !== shown || silentMs >= HEARTBEAT_MS ? 0 : silentMs + EVERY_MS
    shown = page
    await systemClock.sleep(EVERY_MS, leaving).catch(() => undefined)
  }
  return undefined
}
