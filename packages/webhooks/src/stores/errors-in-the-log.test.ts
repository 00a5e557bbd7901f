import { DatabaseSync } from 'node:sqlite'
import { NotewireError, traceOf } from '@notewire/protocol'
import { expect, it } from 'vitest'
import { recordingLogger } from '../fixtures/recording-logger.ts'
import { TEST_SECRET } from '../fixtures/secrets.ts'
import { createReceiver } from '../receiver/receiver.ts'
import * as storage from '../storage/index.ts'
import { anEvent } from '../testing/an-event.ts'
import * as redis from './redis/redis-store.ts'
import { sqliteTransactions } from './sqlite/index.ts'

const CLASSES = Object.entries({ ...storage, ...redis }).filter(
  ([, exported]) => (exported as { prototype?: unknown }).prototype instanceof NotewireError,
)

it('has classes of errors', () => expect(CLASSES.length).toBeGreaterThan(5))

it.each(CLASSES)('the log shows the message of %s, which has no text of the user', (_name, exported) => {
  const error = Reflect.construct(exported, ['a', 'b', 'c'])
  expect(traceOf(error, 'the store')).toMatchObject({ code: error.code, problem: error.message })
})

it('the log says why a handler that returns a promise is refused in a transaction of SQLite', async () => {
  const store = sqliteTransactions(new DatabaseSync(':memory:'))
  await store.migrate()
  const logger = recordingLogger()
  const receiver = createReceiver({ secret: TEST_SECRET, store, logger, on: { 'note.ended': async () => undefined } })
  expect((await receiver.process(anEvent({ kind: 'note.ended' }))).status).toBe('failed')
  expect(logger.lines.join()).toMatch(/^error a handler failed.*"problem":".*returned a promise.*the option prepare/)
})
