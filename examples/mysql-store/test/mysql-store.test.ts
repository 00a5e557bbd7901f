import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createReceiver } from '@notewire/webhooks'
import { anEvent, storeChecks } from '@notewire/webhooks/testing'
import { createPool, type Pool } from 'mysql2/promise'
import { isInstalled, type MariaDb, startMariaDb } from 'notewire-test-servers'
import { mysqlStore } from '../src/mysql-store.ts'

const skip = !isInstalled('mariadbd') && 'MariaDB is not installed'
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

let server: MariaDb
let pool: Pool

before(async () => {
  if (skip) return
  server = await startMariaDb()
  pool = createPool({ uri: server.url, connectionLimit: 8 })
  await mysqlStore(pool).migrate()
  await pool.query('CREATE TABLE copies (note_id VARCHAR(512) PRIMARY KEY, revision INT NOT NULL)')
})

after(async () => {
  if (skip) return
  await pool.end()
  await server[Symbol.asyncDispose]()
})

describe('the store', { skip }, () => {
  for (const { name, run } of storeChecks) test(name, () => run(mysqlStore(pool)))
})

test('a receiver applies an event once if it is delivered eight times at once', { skip }, async () => {
  const receiver = createReceiver({
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    store: mysqlStore(pool),
    logger: silent,
    on: { 'note.updated': ({ data }) => pool.query('INSERT INTO copies VALUES (?, ?)', [data.note_id, data.revision]) },
  })
  const event = anEvent({ kind: 'note.updated', noteId: 'note_1', revision: 3 })
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => receiver.process(event)))
  assert.equal(outcomes.filter(({ status }) => status === 'applied').length, 1)
  assert.equal((await receiver.process(event)).status, 'duplicate')
  assert.deepEqual((await pool.query('SELECT revision FROM copies'))[0], [{ revision: 3 }])
})
