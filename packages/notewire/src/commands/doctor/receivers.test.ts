import { describe, expect, it } from 'vitest'
import { Crowd } from './fixtures/crowd.ts'
import { examine, examineRight, rightResult } from './fixtures/examine.ts'
import { FORGETFUL_RECEIVERS } from './fixtures/forgetful-receivers.ts'
import { handWritten } from './fixtures/hand-written-receiver.ts'
import { MISLEADING_RECEIVERS } from './fixtures/misleading-receivers.ts'
import { RIGHT_RECEIVERS } from './fixtures/right-receivers.ts'
import { startReceiver } from './fixtures/start-receiver.ts'
import { WRONG_RECEIVERS } from './fixtures/wrong-receivers.ts'

describe('a right receiver in TypeScript passes', () => {
  it.concurrent.each(RIGHT_RECEIVERS)('$name', async (right) => {
    expect(await examineRight(right)).toEqual(rightResult(right))
  })
})

const FAULTS = [...WRONG_RECEIVERS, ...FORGETFUL_RECEIVERS, ...MISLEADING_RECEIVERS]

describe('a wrong receiver in TypeScript is diagnosed', () => {
  it.concurrent.each(FAULTS)('$fault', async ({ steps, limits, check, diagnosis }) => {
    const crowd = new Crowd()
    await using receiver = await startReceiver(handWritten(steps, crowd))
    const result = await examine(receiver, limits, crowd)
    expect(result.problems).toContain(check)
    expect(result.diagnosis.slice(0, diagnosis.length)).toBe(diagnosis)
  })
})
