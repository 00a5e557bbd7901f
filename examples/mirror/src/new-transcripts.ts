import { DatabaseSync } from 'node:sqlite'
import { NotesClient } from '@notewire/client'
import { createMirror } from '@notewire/mirror'
import { sqliteMirror } from '@notewire/mirror/sqlite'
import { expressHandler } from '@notewire/webhooks/express'
import express from 'express'

const path = process.env['NOTES_DATABASE'] ?? 'notes.db'
const database = new DatabaseSync(path, { timeout: 1_000 })
database.exec(`CREATE TABLE IF NOT EXISTS transcripts (
  note_id TEXT NOT NULL, hash TEXT NOT NULL, version INTEGER NOT NULL, session_id TEXT, text TEXT NOT NULL,
  PRIMARY KEY (note_id, hash))`)
const insert = database.prepare(`INSERT INTO transcripts VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (note_id, hash) DO UPDATE SET version = excluded.version`)
const erase = database.prepare('DELETE FROM transcripts WHERE note_id = ?')

const mirror = createMirror({
  client: new NotesClient(), // reads NOTES_BASE_URL and NOTES_API_KEY
  store: sqliteMirror(path), // problems are logged to the console
})
const receiver = mirror.receiver({ secret: () => process.env['NOTES_SIGNING_SECRET'] })
const app = express().post('/webhooks/notes', expressHandler(receiver))
const port = Number(process.env['PORT'] ?? 3000)
const server = app.listen(port, (error) => {
  if (error) throw error
  console.log(`listening on port ${port}`)
})

const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())

await Promise.all([
  mirror.run({ signal: stop.signal }),
  mirror.consume({
    name: 'new-transcripts',
    from: 'now',
    signal: stop.signal,
    apply(changes, { commit }) {
      database.exec('BEGIN IMMEDIATE')
      try {
        for (const change of changes) {
          if (change.kind === 'removed') erase.run(change.noteId)
          else if (change.parts.includes('transcript') && change.transcript !== null) {
            const { noteId, hashes, transcriptVersion, recordingSessionId, transcript } = change
            insert.run(noteId, hashes.transcript, transcriptVersion, recordingSessionId, transcript.text)
            console.log('transcript of', noteId)
          }
        }
        // The rows and the position of the consumer are committed together.
        void commit(database)
        database.exec('COMMIT')
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
    },
  }),
])
server.close()
await receiver.close()
