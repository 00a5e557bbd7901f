import { app, type HttpRequest, type HttpResponseInit } from '@azure/functions'
import { createReceiver } from '@notewire/webhooks'

const receiver = createReceiver({
  secret: () => process.env['NOTES_SIGNING_SECRET'],
  on: { 'note.ended': ({ data }) => console.log(data.note_id, 'has ended') },
})

/** Passes a request of the host to the receiver, with the exact text of its body. */
export async function receive(request: HttpRequest): Promise<HttpResponseInit> {
  const { url, method, headers } = request
  const body = await request.text()
  const response = await receiver.fetch(new Request(url, { method, headers: [...headers], body }))
  return { status: response.status, headers: [...response.headers], body: response.body }
}

app.http('notes', { methods: ['POST'], authLevel: 'anonymous', route: 'webhooks/notes', handler: receive })
