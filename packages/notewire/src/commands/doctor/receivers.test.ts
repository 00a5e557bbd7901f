import { describe, expect, it } from 'vitest'
import { Crowd } from '../../../fixtures/commands/doctor/crowd.ts'
import { examine, examineRight, rightResult } from '../../../fixtures/commands/doctor/examine.ts'
import { handWritten } from '../../../fixtures/commands/doctor/hand-written-receiver.ts'
import { RIGHT_RECEIVERS } from '../../../fixtures/commands/doctor/right-receivers.ts'
import { startReceiver } from '../../../fixtures/commands/doctor/start-receiver.ts'
import { DUPLICATES } from '../../../fixtures/commands/doctor/wrong-receivers/duplicates.ts'
import { FORGETFULNESS } from '../../../fixtures/commands/doctor/wrong-receivers/forgetfulness.ts'
import { LATE_VERIFICATION } from '../../../fixtures/commands/doctor/wrong-receivers/late-verification.ts'
import { MISLEADING_RESPONSES } from '../../../fixtures/commands/doctor/wrong-receivers/misleading-responses.ts'
import { REQUEST } from '../../../fixtures/commands/doctor/wrong-receivers/request.ts'
import { RESPONSE } from '../../../fixtures/commands/doctor/wrong-receivers/response.ts'
import { REVISIONS } from '../../../fixtures/commands/doctor/wrong-receivers/revisions.ts'
import { SIGNATURE_COMPARISON } from '../../../fixtures/commands/doctor/wrong-receivers/signature-comparison.ts'
import { SIGNED_CONTENT } from '../../../fixtures/commands/doctor/wrong-receivers/signed-content.ts'
import { SKIPPED_VERIFICATION } from '../../../fixtures/commands/doctor/wrong-receivers/skipped-verification.ts'
import { TIMESTAMP } from '../../../fixtures/commands/doctor/wrong-receivers/timestamp.ts'
import { UNEXPECTED_EVENTS } from '../../../fixtures/commands/doctor/wrong-receivers/unexpected-events.ts'

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
