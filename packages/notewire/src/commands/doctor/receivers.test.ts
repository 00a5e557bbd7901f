import { describe, expect, it } from 'vitest'
import { Crowd } from './fixtures/crowd.ts'
import { examine, examineRight, rightResult } from './fixtures/examine.ts'
import { handWritten } from './fixtures/hand-written-receiver.ts'
import { RIGHT_RECEIVERS } from './fixtures/right-receivers.ts'
import { startReceiver } from './fixtures/start-receiver.ts'
import { DUPLICATES } from './fixtures/wrong-receivers/duplicates.ts'
import { FORGETFULNESS } from './fixtures/wrong-receivers/forgetfulness.ts'
import { LATE_VERIFICATION } from './fixtures/wrong-receivers/late-verification.ts'
import { MISLEADING_RESPONSES } from './fixtures/wrong-receivers/misleading-responses.ts'
import { REQUEST } from './fixtures/wrong-receivers/request.ts'
import { RESPONSE } from './fixtures/wrong-receivers/response.ts'
import { REVISIONS } from './fixtures/wrong-receivers/revisions.ts'
import { SIGNATURE_COMPARISON } from './fixtures/wrong-receivers/signature-comparison.ts'
import { SIGNED_CONTENT } from './fixtures/wrong-receivers/signed-content.ts'
import { SKIPPED_VERIFICATION } from './fixtures/wrong-receivers/skipped-verification.ts'
import { TIMESTAMP } from './fixtures/wrong-receivers/timestamp.ts'
import { UNEXPECTED_EVENTS } from './fixtures/wrong-receivers/unexpected-events.ts'

describe('a right receiver in TypeScript passes', () => {
  it.concurrent.each(RIGHT_RECEIVERS)('$name', async (right) => {
    expect(await examineRight(right)).toEqual(rightResult(right))
  })
})

const FAULTS = [
  ...SKIPPED_VERIFICATION,
  ...LATE_VERIFICATION,
  ...SIGNATURE_COMPARISON,
  ...SIGNED_CONTENT,
  ...TIMESTAMP,
  ...REQUEST,
  ...RESPONSE,
  ...UNEXPECTED_EVENTS,
  ...DUPLICATES,
  ...REVISIONS,
  ...FORGETFULNESS,
  ...MISLEADING_RESPONSES,
]

describe('a wrong receiver in TypeScript is diagnosed', () => {
  it.concurrent.each(FAULTS)('$fault', async ({ steps, limits, check, diagnosis }) => {
    const crowd = new Crowd()
    await using receiver = await startReceiver(handWritten(steps, crowd))
    const result = await examine(receiver, limits, crowd)
    expect(result.problems).toContain(check)
    expect(result.diagnosis.slice(0, diagnosis.length)).toBe(diagnosis)
  })
})
