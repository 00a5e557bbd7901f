import { describe, expect, it } from 'vitest'
import { examine, examineRight, rightResult } from '../../../fixtures/commands/doctor/examine.ts'
import { PYTHON_FAULTS } from '../../../fixtures/commands/doctor/python-faults.ts'
import { RUNS_PYTHON, startPythonReceiver } from '../../../fixtures/commands/doctor/python-receiver.ts'
import { RIGHT_IN_PYTHON } from '../../../fixtures/commands/doctor/right-receivers.ts'

describe('a right receiver in Python passes', RUNS_PYTHON, () => {
  it.concurrent.each(RIGHT_IN_PYTHON)('$name', async (right) => {
    expect(await examineRight(right)).toEqual(rightResult(right))
  })
})

describe('a wrong receiver in Python is diagnosed', RUNS_PYTHON, () => {
  it.concurrent.each(PYTHON_FAULTS)('$fault', async ({ fault, limits, check, diagnosis }) => {
    await using receiver = await startPythonReceiver(fault)
    const result = await examine(receiver, limits)
    expect(result.problems).toContain(check)
    expect(result.diagnosis.slice(0, diagnosis.length)).toBe(diagnosis)
  })
})
