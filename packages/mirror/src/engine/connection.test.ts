import { systemClock } from '@notewire/protocol'
import { expect, it, vi } from 'vitest'
import { LeaseLostError } from '../errors.ts'
import { MirrorLog } from '../reporting/mirror-log.ts'
import { hooksOf } from './connection.ts'

it.each([
  ['an error of a note is reported', new Error('no such part'), 1],
  ['a lost lease is not reported, because another worker continues', new LeaseLostError(), 0],
])('%s', (_, error, times) => {
  const [onProblem, write] = [vi.fn(), vi.fn()]
  const logger = { info: write, warn: write, error: write }
  const log = new MirrorLog({ logger, logErrorMessages: false, clock: systemClock, collectMs: 0 })
  hooksOf('acme', { hooks: { onProblem }, log }).onProblem({ error, noteId: 'note_1' })
  log.writeAll()
  expect(onProblem).toHaveBeenCalledTimes(times)
  expect(write).toHaveBeenCalledTimes(times)
})
