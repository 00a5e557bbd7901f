import { NotesClient, noteHandlers } from '@notewire/client'
import { createReceivers, type TransactionContext } from '@notewire/webhooks'
import { expressHandler } from '@notewire/webhooks/express'
import { postgresTransactions } from '@notewire/webhooks/postgres'
import express from 'express'
import { Pool, type PoolClient } from 'pg'

const pool = new Pool({ connectionString: process.env['DATABASE_URL'] }).on('error', console.error)
const store = postgresTransactions(pool)
await store.migrate()
const accountOf = async (id: string) => (await pool.query('SELECT * FROM accounts WHERE id = $1', [id])).rows[0]
const clientOf = async (id: string) => new NotesClient({ apiKey: (await accountOf(id)).api_key })

const receivers = createReceivers({
  secretOf: async (id) => (await accountOf(id))?.signing_secret,
  store,
  ...noteHandlers<TransactionContext<PoolClient>>(clientOf, {
    changed: ({ note, transcript }, { integration, transaction }) =>
      transaction.query(
        `INSERT INTO notes VALUES ($1, $2, $3, $4, $5) ON CONFLICT (account_id, note_id)
         DO UPDATE SET revision = $3, title = $4, transcript = $5`,
        [integration, note.note_id, note.revision, note.title, transcript.text],
      ),
    removed: ({ noteId }, { integration, transaction }) =>
      transaction.query('DELETE FROM notes WHERE account_id = $1 AND note_id = $2', [integration, noteId]),
  }),
})

const app = express().post('/webhooks/notes/:integration', expressHandler(receivers))
const port = Number(process.env['PORT'] ?? 3000)
app.listen(port, (error) => {
  if (error) throw error
  console.log(`listening on port ${port}`)
})
