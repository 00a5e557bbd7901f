import { createHash, timingSafeEqual } from 'node:crypto'
import type { Bindings } from './notes-mirror.ts'

export { NotesMirror } from './notes-mirror.ts'

export default {
  async fetch(request: Request, bindings: Bindings): Promise<Response> {
    // Deliveries prove themselves by their signature.
    const isDelivery = new URL(request.url).pathname === '/webhooks/notes'
    if (!isDelivery && !mayRead(request, bindings)) return new Response(null, { status: 401 })
    // One object holds the whole mirror. Several keys take several: name each after the account or channel of its key.
    return await bindings.MIRROR.getByName('notes').fetch(request)
  },

  /** Starts the mirror after the first deployment, and again should its chain of alarms ever break. */
  async scheduled(_event: unknown, bindings: Bindings): Promise<void> {
    await bindings.MIRROR.getByName('notes').fetch(new Request('https://mirror/wake'))
  },
}

function mayRead({ headers }: Request, { READ_TOKEN }: Bindings): boolean {
  const given = headers.get('authorization') ?? ''
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(`Bearer ${READ_TOKEN}`))
}
