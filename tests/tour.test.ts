import { expect, it } from 'vitest'
import { run, WORKSPACE } from '../scripts/run.ts'

it('the tour prints plain lines into a pipe, and ends with an up-to-date mirror', async () => {
  const printed = await run('npm', ['run', '--silent', 'tour'], WORKSPACE)
  expect(printed).toMatch(/300\/300 notes copied/)
  expect(printed).toMatch(/\d+ {2}written down as hints, and acknowledged/)
  expect(printed).toMatch(/the mirror said: .* the endpoint is probably disabled\./)
  expect(printed).toMatch(/Of the \d+ notes that are here it did not show [1-9]\d*\./)
  expect(printed).toMatch(/\d{5} fields of them\.\n\s*Every field of every note, transcript and summary agrees\.\s*$/)
  for (const control of ['\u001b', '\r']) expect(printed).not.toContain(control)
  expect(printed.split('\n').length).toBeLessThan(70)
})
