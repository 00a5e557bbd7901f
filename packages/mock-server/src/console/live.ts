import { systemClock } from '@notewire/protocol'
import type { Hono } from 'hono'
import { type SSEStreamingApi, streamSSE } from 'hono/streaming'

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
    const url = URL.parse(context.req.query('page') ?? '', context.req.url)
    if (url?.origin !== new URL(context.req.url).origin || !isPage(url.pathname)) return context.notFound()
    return streamSSE(context, (stream) => update(stream, async () => (await pages.fetch(new Request(url))).text()))
  })
}

function isPage(path: string): boolean {
  return /^\/console\/(deliveries|notes|endpoints|requests|integrations|clock|faults)(\/|$)/.test(path)
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
    await systemClock.sleep(EVERY_MS)
  }
}
