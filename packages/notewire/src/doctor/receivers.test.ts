import { describe, expect, it } from 'vitest'
import { effectsAt, type Limits } from './examination.ts'
import { examineReceiver } from './examine-receiver.ts'
import { Crowd } from './fixtures/crowd.ts'
import { handWritten } from './fixtures/hand-written-receiver.ts'
import { hasPython, PYTHON_FAULTS, startPythonReceiver } from './fixtures/python-receiver.ts'
import { RIGHT_IN_PYTHON, RIGHT_RECEIVERS, type RightReceiver } from './fixtures/right-receivers.ts'
import { SECOND_TEST_SECRET, TEST_SECRET } from './fixtures/secrets.ts'
import { type StartedReceiver, startReceiver } from './fixtures/start-receiver.ts'
import { WRONG_RECEIVERS, type WrongReceiver } from './fixtures/wrong-receivers.ts'
import type { ReceiverReport } from './report.ts'

/** Longer than any machine needs. The wrong receivers apply an event before they answer, so nothing has to be awaited. */
const PATIENT = {
  answerWithinMs: 200_000,
  answerSoonMs: 190_000,
  totalMs: 1_000_000,
  effectWithinMs: 1,
  effectsSettleMs: 1,
} satisfies Partial<Limits>

/** The check after each of these sends five concurrent deliveries at a time. */
const BEFORE_CONCURRENT_DELIVERIES = ['repetition.other-webhook-id', 'effect.once-under-other-webhook-ids']

describe('a right receiver in TypeScript passes', () => {
  it.concurrent.each(RIGHT_RECEIVERS)('$name', passes)
})

describe('a wrong receiver in TypeScript is diagnosed', () => {
  it.concurrent.each(WRONG_RECEIVERS)('$fault', async (wrong) => {
    const crowd = new Crowd()
    await using receiver = await startReceiver(handWritten(wrong.steps, crowd))
    expectDiagnosis(await examine(receiver, wrong.limits, crowd), wrong)
  })
})

describe.runIf(hasPython())('a right receiver in Python passes', () => {
  it.concurrent.each(RIGHT_IN_PYTHON)('$name', passes)
})

describe.runIf(hasPython())('a wrong receiver in Python is diagnosed', () => {
  it.concurrent.each(PYTHON_FAULTS)('$fault', async (wrong) => {
    await using receiver = await startPythonReceiver(wrong.fault)
    expectDiagnosis(await examine(receiver, wrong.limits), wrong)
  })
})

async function passes({ start, untested = [] }: RightReceiver): Promise<void> {
  await using receiver = await start()
  // Those that apply nothing of a kind are waited for in vain.
  const { diagnosis, complete, findings } = await examine(receiver, {
    effectWithinMs: untested.length > 0 ? 1 : 60_000,
  })
  expect(findings.filter(({ verdict }) => verdict === 'failed' || verdict === 'warned')).toEqual([])
  expect(findings.flatMap(({ id, verdict }) => (verdict === 'not_tested' ? [id] : []))).toEqual([
    'connection.https',
    ...untested,
  ])
  expect({ diagnosis, complete }).toEqual({ diagnosis: 'follows the contract', complete: true })
}

function expectDiagnosis({ diagnosis, findings }: ReceiverReport, wrong: Pick<WrongReceiver, 'check' | 'diagnosis'>) {
  const problems = findings.filter(({ verdict }) => verdict === 'failed' || verdict === 'warned').map(({ id }) => id)
  expect(problems).toContain(wrong.check)
  expect(diagnosis.slice(0, wrong.diagnosis.length)).toBe(wrong.diagnosis)
}

function examine(
  { url, effectsUrl }: StartedReceiver,
  limits: Partial<Limits> = {},
  crowd = new Crowd(),
): Promise<ReceiverReport> {
  return examineReceiver({
    url,
    secret: TEST_SECRET,
    secondSecret: SECOND_TEST_SECRET,
    effects: effectsAt(effectsUrl),
    limits: { ...PATIENT, ...limits },
    onFinding: ({ id }) => crowd.expect(BEFORE_CONCURRENT_DELIVERIES.includes(id) ? 5 : 1),
  })
}
