import { DatabaseSync } from 'node:sqlite'
import { NotewireError, traceOf } from '@notewire/protocol'
import * as storage from '@notewire/storage'
import { expect, it } from 'vitest'
import { recordingLogger } from '../../fixtures/recording-logger.ts'
import { TEST_SECRET } from '../../fixtures/secrets.ts'
import { createReceiver } from '../receiver/receiver.ts'
import { anEvent } from '../testing/an-event.ts'
import * as redis from './redis/redis-store.ts'
import { sqliteTransactions } from './sqlite/index.ts'

const exports: readonly (readonly [string, unknown])[] = Object.entries({ ...storage, ...redis })
const CLASSES = exports.flatMap(([name, exported]) =>
  typeof exported === 'function' && exported.prototype instanceof NotewireError ? [[name, exported] as const] : [],
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
