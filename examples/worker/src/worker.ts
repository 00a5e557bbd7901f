import { createHash, timingSafeEqual } from 'node:crypto'
import { createReceiver, type Receiver } from '@notewire/webhooks'
import type { Env } from './notes-mirror.ts'

export { NotesMirror } from './notes-mirror.ts'

let receiver: Receiver | undefined

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    // One object contains the whole mirror.
    const mirror = env.MIRROR.getByName('notes')
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/webhooks/notes') {
      // The Worker verifies deliveries, so that a forged delivery wakes no object.
      receiver ??= createReceiver({
        secret: () => env.NOTES_SIGNING_SECRET,
        sink: (event) => env.MIRROR.getByName('notes').hear(event),
      })
      return await receiver.fetch(request)
    }
    if (!mayRead(request, env)) return new Response(null, { status: 401 })
    const [, what, noteId] = pathname.split('/')
    if (what === 'notes' && noteId === undefined)
      return Response.json(await mirror.list(searchParams.get('after') ?? ''))
    if (what === 'search') return Response.json(await mirror.search(searchParams.get('words') ?? ''))
    if (what === 'status') return Response.json(await mirror.status())
    const found = what === 'notes' ? await mirror.get(decodeURIComponent(noteId ?? '')) : undefined
    return found === undefined ? new Response(null, { status: 404 }) : Response.json(found)
  },

  /** Starts the chain of alarms after the first deployment, and again if it has ended. */
  async scheduled(_event: unknown, env: Env): Promise<void> {
    await env.MIRROR.getByName('notes').wakeAt(Date.now())
  },
}

function mayRead({ headers }: Request, { READ_TOKEN }: Env): boolean {
  const given = headers.get('authorization') ?? ''
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(`Bearer ${READ_TOKEN}`))
}
