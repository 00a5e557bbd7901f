import { expect, it } from 'vitest'
import { run, WORKSPACE } from '../scripts/run.ts'

it('the tour in a pipe is plain lines, and ends with a copy that agrees', async () => {
  const printed = await run('npm', ['run', '--silent', 'tour'], WORKSPACE)
  expect(printed).toMatch(/300\/300 notes copied/)
  expect(printed).toMatch(/\d+ {2}applied: news, handed to a handler/)
  expect(printed).toMatch(/Every title, revision, status, transcript and summary agrees\.\s*$/)
  for (const control of ['\u001b', '\r']) expect(printed).not.toContain(control)
  expect(printed.split('\n').length).toBeLessThan(70)
})
