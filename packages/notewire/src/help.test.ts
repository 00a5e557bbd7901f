import { afterEach, describe, expect, it } from 'vitest'
import { cleanUp } from '../fixtures/leftovers.ts'
import { runNotewire, startInTerminal } from '../fixtures/run-notewire.ts'
import { COMMANDS } from './commands/command-table.ts'

afterEach(cleanUp)

describe('the help', () => {
  it('is printed without arguments, with exit code 0', async () => {
    const { exitCode, stdout, stderr } = await runNotewire([])
    expect(exitCode).toBe(0)
    expect(stderr).toBe('')
    for (const { name } of COMMANDS) expect(stdout).toContain(`  ${name} `)
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
    ['export', '--help'],
    ['search', '--help'],
    ['explain', '--help'],
    ['status', '--help'],
    ['api', '--help'],
    ['completion', '--help'],
    ['doctor', '--help'],
    ['verify', '--help'],
  ])('of "%s %s %s" fits into 80 columns and shows examples', async (...args) => {
    const { exitCode, stdout } = await runNotewire(args)
    expect(exitCode).toBe(0)
    for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
    expect(stdout).toMatch(/Examples:\n {2}\$ notewire /)
    // The numbers of our own lists say nothing to a reader.
    expect(stdout).not.toMatch(/open\s+point|§/)
  })

  it.each([['--help'], ['listen', '--help'], ['endpoints', 'create', '--help']])(
    'of "%s %s %s" wraps its options at 40 columns',
    async (...args) => {
      const env = { COLUMNS: '40', TERM: 'dumb' }
      const { stdout } = await startInTerminal(args.filter(Boolean), { env }).ended
      const lines = stdout.split(/\r?\n/).filter((line) => !/^ {2}\$ notewire |https?:|^Usage:/.test(line))
      expect(lines.length).toBeGreaterThan(30)
      for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(40)
    },
  )

  it('of a command is also printed by "help" before the command', async () => {
    const help = await runNotewire(['help', 'endpoints', 'create'])
    expect(help.stdout).toBe((await runNotewire(['endpoints', 'create', '--help'])).stdout)
  })

  it.each([
    [['trigger'], 'which event (choices: "note.ended", "note.summary.generated",'],
    [['export'], 'one file per note, or one line per note (choices: "markdown", "jsonl", default: "markdown")'],
  ])('of %j lists the choices', async (args, choices) => {
    const { stdout } = await runNotewire([...args, '--help'])
    expect(stdout.replace(/\s+/g, ' ')).toContain(choices)
  })

  it('shows no default for an option that can be repeated', async () => {
    expect((await runNotewire(['endpoints', 'create', '--help'])).stdout).not.toContain('[]')
  })

  it('names the environment variable of each setting', async () => {
    const { stdout } = await runNotewire(['pull', '--help'])
    for (const name of [
      'NOTES_BASE_URL',
      'NOTES_API_KEY_FILE',
      'NOTES_API_KEY',
      'NOTES_LIST_FIELD',
      'NOTEWIRE_DATABASE',
    ]) {
      expect(stdout).toContain(name)
    }
  })

  it('of the program loads no command', async () => {
    const env = { NODE_DEBUG: 'esm' }
    const { stderr } = await runNotewire(['--help'], { env })
    expect(stderr).toContain('command-table.ts')
    expect(stderr).not.toMatch(
      /commands\/(pull|export|search|explain|status|api|completion|endpoints|listen|mock|trigger|verify|doctor)/,
    )
  })
})
