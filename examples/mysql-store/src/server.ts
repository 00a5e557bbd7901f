import { createServer } from 'node:http'
import { createReceiver } from '@notewire/webhooks'
import { nodeHandler } from '@notewire/webhooks/node'
import { createPool } from 'mysql2/promise'
import { mysqlStore } from './mysql-store.ts'

const store = mysqlStore(createPool({ uri: process.env['DATABASE_URL'] ?? 'mysql://root@127.0.0.1/notes' }))
await store.migrate()
setInterval(() => store.prune().catch(console.error), 3_600_000).unref()

const receiver = createReceiver({
  secret: () => process.env['NOTES_SIGNING_SECRET'],
  path: '/webhooks/notes',
  store,
  on: { 'note.deleted': ({ data }) => console.log(data.note_id, 'was deleted: remove your copy') },
})

createServer(nodeHandler(receiver)).listen(3000, () => console.log('listening on port 3000'))
