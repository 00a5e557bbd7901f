import { systemClock } from '@notewire/protocol'
import type { Hono } from 'hono'

/** How often a page that somebody looks at is made again, in milliseconds of the machine's time. */
const EVERY_MS = 400
/** Proxies and browsers give up on a silent connection. */
const HEARTBEAT_MS = 15_000

/**
 * Keeps open pages up to date by server-sent events. A page is made anew while somebody looks at it, and sent when it differs:
 * cheaper than to have world, engine and clock announce every change to nobody, and nothing can be forgotten.
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

/** Pulled, so that a browser that does not read makes nobody work. */
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

/** What is sent of a page: the whole, whenever it has become another. */
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
