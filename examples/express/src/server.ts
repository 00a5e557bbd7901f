import { DatabaseSync } from 'node:sqlite'
import { NotesClient, noteHandlers } from '@notewire/client'
import { createReceiver } from '@notewire/webhooks'
import { expressHandler } from '@notewire/webhooks/express'
import { sqliteStore } from '@notewire/webhooks/sqlite'
import express from 'express'

const database = new DatabaseSync('notes.db')
database.exec(
  'CREATE TABLE IF NOT EXISTS notes (note_id TEXT PRIMARY KEY, title TEXT, transcript_status TEXT, transcript TEXT, summary TEXT)',
)
const store = sqliteStore('events.db')
await store.migrate()

const receiver = createReceiver({
  // During a rotation, the variable contains both secrets.
  secret: () => process.env['NOTES_SIGNING_SECRET']?.split(','),
  store,
  ...noteHandlers(new NotesClient(), {
    changed: ({ note, transcript, summary }) => {
      database
        .prepare('INSERT OR REPLACE INTO notes VALUES (?, ?, ?, ?, ?)')
        .run(note.note_id, note.title ?? null, transcript.status, transcript.text ?? null, summary.markdown ?? null)
    },
    removed: ({ noteId }) => {
      database.prepare('DELETE FROM notes WHERE note_id = ?').run(noteId)
    },
  }),
})

const app = express()
// Mount the receiver before any body parser: it verifies the signature of the raw body.
app.post('/webhooks/notes', expressHandler(receiver))
app.use(express.json())
app.get('/notes', (_request, response) => {
  response.json(database.prepare('SELECT * FROM notes').all())
})

const port = Number(process.env['PORT'] ?? 3000)
const server = app.listen(port, (error) => {
  if (error) throw error
  console.log(`listening on port ${port}`)
})
// Removes the records of events that are no longer needed.
const pruning = setInterval(() => store.prune().catch(console.error), 3_600_000)

process.once('SIGTERM', async () => {
  server.close()
  clearInterval(pruning)
  await receiver.close()
  await store.close()
  database.close()
})
