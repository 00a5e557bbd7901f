import { createServer, type Server } from 'node:http'
import type { NotesClient } from '@notewire/client'
import { createReceiver } from '@notewire/webhooks'
import { nodeHandler } from '@notewire/webhooks/node'

/** The application under test: a page with the titles of the notes that have ended. */
export function createApplication(client: NotesClient, secret: () => string | undefined): Server {
  const titles = new Map<string, string>()
  const receiver = createReceiver({
    secret,
    on: {
      'note.ended': async ({ data }) =>
        void titles.set(data.note_id, (await client.notes.get(data.note_id)).title ?? ''),
      'note.deleted': ({ data }) => void titles.delete(data.note_id),
    },
  })
  const receive = nodeHandler(receiver)
  return createServer((request, response) => {
    if (request.url === '/webhooks/notes') return receive(request, response)
    const items = [...titles.values()].map(
      (title) => `<li>${title.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</li>`,
    )
    response.setHeader('content-type', 'text/html; charset=utf-8').end(`<ul>${items.join('')}</ul>`)
  })
}
