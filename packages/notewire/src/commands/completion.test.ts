import { spawnSync } from 'node:child_process'
import { afterEach, describe, expect, it } from 'vitest'
import { cleanUp } from '../fixtures/leftovers.ts'
import { runNotewire } from '../fixtures/run-notewire.ts'

afterEach(cleanUp)

describe('completion', () => {
  it.each(['bash', 'zsh', 'fish', 'powershell'])('prints a script for %s that asks notewire', async (shell) => {
    const { exitCode, stdout } = await runNotewire(['completion', shell])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/notewire.* complete ['"]?--/)
  })

  it('prints a script that bash can read', async () => {
    const { stdout } = await runNotewire(['completion', 'bash'])
    expect(spawnSync('bash', ['-n'], { input: stdout, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
  })

  it.each([
    [['en'], ['endpoints']],
    [['endpoints', 'ro'], ['rotate']],
    [['mock', '--po'], ['--port']],
    [
      ['mock', '--clock', ''],
      ['real', 'virtual'],
    ],
    [['trigger', 'note.s'], ['note.summary.generated']],
    [['completion', 'z'], ['zsh']],
  ])('offers for %j what can follow: %j', async (words, offered) => {
    const { stdout } = await runNotewire(['complete', '--', ...words])
    const lines = stdout.trimEnd().split('\n')
    expect(lines.slice(0, -1).map((line) => line.split('\t')[0])).toEqual(offered)
  })
})
