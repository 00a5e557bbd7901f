import { NotesClient } from '@notewire/client'
import { createMirror } from '@notewire/mirror'
import { sqliteMirror } from '@notewire/mirror/sqlite'
import { expressHandler } from '@notewire/webhooks/express'
import express from 'express'

const client = new NotesClient() // reads NOTES_BASE_URL and NOTES_API_KEY
const store = sqliteMirror(process.env['NOTES_DATABASE'] ?? 'notes.db')
const mirror = createMirror({ client, store })
const receiver = mirror.receiver({ secret: () => process.env['NOTES_SIGNING_SECRET'] })

const app = express()
// Mount the receiver before any body parser: it verifies the signature of the raw body.
app.post('/webhooks/notes', expressHandler(receiver))
app.get('/search', async ({ query }, response) => {
  const found = await mirror.search(String(query['words'] ?? ''))
  response.json(found.map(({ note }) => ({ note_id: note.note_id, title: note.title })))
})
app.get('/notes/:noteId', async ({ params }, response) => {
  const found = await mirror.get(params.noteId)
  if (found === undefined) response.sendStatus(404)
  else response.json(found)
})
app.get('/status', async (_request, response) => {
  response.json(await mirror.status())
})

const port = Number(process.env['PORT'] ?? 3000)
const server = app.listen(port, (error) => {
  if (error) throw error
  console.log(`listening on port ${port}`)
})
const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())

// Lists all notes. Then fetches each note as soon as an event names it, polls every 5 minutes, and lists all notes once a day.
// It logs what fails, and tries again.
await mirror.run({ signal: stop.signal })
server.close()
await receiver.close()
await store.close?.()
