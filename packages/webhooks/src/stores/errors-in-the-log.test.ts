import { NotewireError } from '@notewire/protocol'
import { expect, it } from 'vitest'
import { traceOf } from '../observing/error-trace.ts'
import * as storage from '../storage/index.ts'
import * as redis from './redis/index.ts'

const CLASSES = Object.entries({ ...storage, ...redis }).filter(
  ([, exported]) => (exported as { prototype?: unknown }).prototype instanceof NotewireError,
)

it('has classes of errors', () => expect(CLASSES.length).toBeGreaterThan(5))

it.each(CLASSES)('the log shows the message of %s, which has no text of the user', (_name, exported) => {
  const error = Reflect.construct(exported, ['a', 'b', 'c'])
  expect(traceOf(error, 'the store')).toMatchObject({ code: error.code, problem: error.message })
})
