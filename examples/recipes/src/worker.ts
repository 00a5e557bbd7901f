import { createReceiver, type Receiver } from '@notewire/webhooks'

interface Env {
  readonly NOTES_SIGNING_SECRET?: string
}

const endedNotes: string[] = []
let receiver: Receiver | undefined

/** One receiver for all requests of an isolate. The first request creates it, because it provides the secret. */
function receiverOf(env: Env): Receiver {
  receiver ??= createReceiver({
    secret: () => env.NOTES_SIGNING_SECRET,
    on: { 'note.ended': ({ data }) => void endedNotes.push(data.note_id) },
  })
  return receiver
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    switch (new URL(request.url).pathname) {
      case '/webhooks/notes':
        return await receiverOf(env).fetch(request)
      case '/echo':
        return Response.json(await request.json())
      case '/notes':
        return Response.json(endedNotes)
      default:
        return new Response(null, { status: 404 })
    }
  },
}
