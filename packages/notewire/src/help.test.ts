import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { COMMANDS } from './commands/command-table.ts'
import { cleanUp } from './fixtures/leftovers.ts'
import { runNotewire } from './fixtures/run-notewire.ts'

afterEach(cleanUp)

describe('the help', () => {
  it('is what the program shows when nothing is typed, with exit code 0', async () => {
    const { exitCode, stdout, stderr } = await runNotewire([])
    expect(exitCode).toBe(0)
    expect(stderr).toBe('')
    for (const { name, isHidden } of COMMANDS) if (!isHidden) expect(stdout).toContain(`  ${name} `)
    expect(stdout).toMatch(/130 {2}interrupted/)
  })

  it.each([
    ['--help'],
    ['endpoints'],
    ['endpoints', '--help'],
    ['endpoints', 'create', '--help'],
    ['endpoints', 'rotate', '-h'],
    ['listen', '--help'],
    ['mock', '--help'],
    ['trigger', '--help'],
    ['pull', '--help'],
    ['watch', '--help'],
    ['export', '--help'],
    ['search', '--help'],
    ['explain', '--help'],
    ['status', '--help'],
    ['doctor', '--help'],
    ['verify', '--help'],
    ['completion', '--help'],
  ])('of "%s %s %s" fits into 80 columns and teaches by examples', async (...args) => {
    const { exitCode, stdout } = await runNotewire(args)
    expect(exitCode).toBe(0)
    for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
    expect(stdout).toMatch(/Examples:\n {2}\$ notewire /)
  })

  it('of a command is also what "help" before it shows', async () => {
    const asked = await runNotewire(['help', 'endpoints', 'create'])
    expect(asked.stdout).toBe((await runNotewire(['endpoints', 'create', '--help'])).stdout)
  })

  it.each([
    [['trigger'], 'which event (note.ended, note.summary.generated,'],
    [['export'], 'one file a note, or one line a note (markdown, jsonl; default: markdown)'],
    [['completion'], 'which shell (bash, zsh, fish, powershell)'],
  ])('of %j says what can be chosen from', async (args, choices) => {
    const { stdout } = await runNotewire([...args, '--help'])
    expect(stdout.replace(/\s+/g, ' ')).toContain(choices)
  })

  it('shows options before settings, also where --help is the only one', async () => {
    const { stdout } = await runNotewire(['status', '--help'])
    expect(stdout.indexOf('\nOptions:')).toBeLessThan(stdout.indexOf('\nSettings:'))
  })

  it('loads the file of no command', async () => {
    const env = { NODE_DEBUG: 'esm' }
    const { stderr } = await runNotewire(['--help'], { env })
    expect(stderr).toContain('command-table.ts')
    expect(stderr).not.toMatch(
      /commands\/(pull|watch|export|search|explain|status|endpoints|listen|mock|trigger|completion|verify|doctor)/,
    )
  })

  it('takes less than 120 ms of processor time', () => {
    // Not by the clock on the wall, which on a busy machine measures the others. The least of a few runs has the compile cache warm.
    const took = Array.from({ length: 8 }, () => processorMillisecondsOf(['--help']))
    expect(Math.min(...took)).toBeLessThan(120)
  })
})

function processorMillisecondsOf(args: readonly string[]): number {
  const main = join(import.meta.dirname, 'main.ts')
  const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'notewire-compile-cache') }
  const meter = 'process.on("exit", () => process._rawDebug(JSON.stringify(process.cpuUsage())))'
  const options = ['--conditions=@notewire/source', `--import=data:text/javascript,${encodeURIComponent(meter)}`]
  const { status, stderr } = spawnSync(process.execPath, [...options, main, ...args], { env, encoding: 'utf8' })
  expect(status).toBe(0)
  const { user, system } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')
  return (user + system) / 1_000
}
