import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createReceiver, memoryStore, type ReceiverStore } from '@notewire/webhooks'
import { nodeHandler } from '@notewire/webhooks/node'
import { postgresStore } from '@notewire/webhooks/postgres'
import { redisStore } from '@notewire/webhooks/redis'
import { sqliteStore } from '@notewire/webhooks/sqlite'
import { Redis } from 'ioredis'
import { Pool } from 'pg'

// Started as a process of its own: one of the instances of a receiver. Says `{ port }` when it listens, and answers any
// message with `{ applied }`, how many events its handler was given.
const [kind = '', url = '', scope = '', secret = ''] = process.argv.slice(2)

process.on('disconnect', () => process.exit())
let applied = 0
const receiver = createReceiver({
  secret,
  scope,
  store: await storeOf(kind, url),
  on: {
    'note.updated': () => {
      applied += 1
    },
  },
})
process.on('message', () => process.send?.({ applied }))
const server = createServer(nodeHandler(receiver)).listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port })
})

async function storeOf(kind: string, url: string): Promise<ReceiverStore<never>> {
  switch (kind) {
    case 'memory':
      return memoryStore()
    case 'redis':
      return redisStore(new Redis(url))
    case 'sqlite':
      return migrated(sqliteStore(url))
    case 'postgres':
      return migrated(postgresStore(new Pool({ connectionString: url })))
    default:
      throw new Error(`no store is called ${kind}`)
  }
}

async function migrated<Store extends { migrate(): Promise<void> }>(store: Store): Promise<Store> {
  await store.migrate()
  return store
}
