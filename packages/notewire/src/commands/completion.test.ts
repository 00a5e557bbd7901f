import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
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

  it.each([
    [['en'], ['endpoints']],
    [['endpoints', 'ro'], ['rotate']],
    [['export', 'notes', '--format', '=', 'js'], ['jsonl']],
    [['verify', 'cap'], []],
  ])('has a bash without the package bash-completion offer for %j: %j', async (words, offered) => {
    const { stdout: script } = await runNotewire(['completion', 'bash'])
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', bashThatCompletes(script, words)], {
      encoding: 'utf8',
    })
    expect({ stdout: stdout.split('\n').slice(0, -1), stderr }).toEqual({ stdout: offered, stderr: '' })
  })

  it.each([
    [['verify', 'cap']],
    [['pull', '--database', '']],
    [['doctor', '--second-secret-file', 'se']],
    [['--config', '']],
  ])('leaves the path of %j to the shell', async (words) => {
    expect((await runNotewire(['complete', '--', ...words])).stdout).toBe(':0\n')
  })

  it('offers nothing for a number, and no files either', async () => {
    expect((await runNotewire(['complete', '--', 'mock', '--port', ''])).stdout).toBe(':4\n')
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

/** A script that is sourced twice, as after a change of ~/.bashrc, and then completes the last word. */
function bashThatCompletes(script: string, words: readonly string[]): string {
  const main = join(import.meta.dirname, '../main.ts')
  const quoted = ['notewire', ...words].map((word) => `'${word}'`)
  return `notewire() { '${process.execPath}' --conditions=@notewire/source '${main}' "$@"; }
${script}
${script}
COMP_WORDS=(${quoted.join(' ')}) COMP_CWORD=${words.length}
_notewire_complete
[ \${#COMPREPLY[@]} -eq 0 ] || printf '%s\\n' "\${COMPREPLY[@]}"`
}
