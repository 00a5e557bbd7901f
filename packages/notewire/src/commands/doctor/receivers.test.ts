import { describe, expect, it } from 'vitest'
import { Crowd } from './fixtures/crowd.ts'
import { examine, examineRight, rightResult } from './fixtures/examine.ts'
import { handWritten } from './fixtures/hand-written-receiver.ts'
import { RIGHT_RECEIVERS } from './fixtures/right-receivers.ts'
import { startReceiver } from './fixtures/start-receiver.ts'
import { WRONG_RECEIVERS } from './fixtures/wrong-receivers.ts'

describe('a right receiver in TypeScript passes', () => {
  it.concurrent.each(RIGHT_RECEIVERS)('$name', async (right) => {
    expect(await examineRight(right)).toEqual(rightResult(right))
  })
})

describe('a wrong receiver in TypeScript is diagnosed', () => {
  it.concurrent.each(WRONG_RECEIVERS)('$fault', async ({ steps, limits, check, diagnosis }) => {
    const crowd = new Crowd()
    await using receiver = await startReceiver(handWritten(steps, crowd))
    const result = await examine(receiver, limits, crowd)
    expect(result.problems).toContain(check)
    expect(result.diagnosis.slice(0, diagnosis.length)).toBe(diagnosis)
  })
})
