import { expect, it } from 'vitest'
import { run, WORKSPACE } from '../scripts/run.ts'

it('the tour prints plain lines in a pipe, and ends with a mirror that equals the service', async () => {
  const printed = await run('npm', ['run', '--silent', 'tour'], WORKSPACE)
  expect(printed).toMatch(/300\/300 notes copied/)
  expect(printed).toMatch(/\d+ {2}stored as hints, and acknowledged/)
  expect(printed).toMatch(/the mirror reported: .* the endpoint is probably disabled\./)
  expect(printed).toMatch(/Of the \d+ notes in the mirror, [1-9]\d* were missing\./)
  expect(printed).toMatch(
    /\d{5} fields compared\.\n\s*Every field of every note, transcript and summary is equal\.\s*$/,
  )
  for (const control of ['\u001b', '\r']) expect(printed).not.toContain(control)
  expect(printed.split('\n').length).toBeLessThan(70)
})
