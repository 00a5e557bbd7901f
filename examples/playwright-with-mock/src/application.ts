import { createServer, type Server } from 'node:http'
import { type NotesClient, noteHandlers } from '@notewire/client'
import { createReceiver } from '@notewire/webhooks'
import { nodeHandler } from '@notewire/webhooks/node'

/** The application under test: a page with the titles of the notes that have ended. */
export function createApplication(client: NotesClient, secret: () => string | undefined): Server {
  const titles = new Map<string, string>()
  const receiver = createReceiver({
    secret,
    ...noteHandlers(client, {
      parts: [],
      changed: ({ note }) => titles.set(note.note_id, note.title ?? ''),
      removed: ({ noteId }) => titles.delete(noteId),
    }),
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
