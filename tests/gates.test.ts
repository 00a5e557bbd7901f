import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { summaryOf, type TestResults } from '../scripts/gate-summary.ts'
import { type Gate, gateOf, ROWS } from '../scripts/gates.ts'
import { WORKSPACE } from '../scripts/run.ts'
import { type GateEnd, runGate } from '../scripts/run-gate.ts'
import workspace from '../vitest.workspace.ts'

const gate = (command: string, limitSeconds = 300): Gate => ({ name: 'planted', command, limitSeconds })

/** Runs a gate, and returns how it ended and what it printed. */
async function outcomeOf(planted: Gate): Promise<{ readonly end: GateEnd; readonly printed: string }> {
  const log = join(await aFolder(), 'log')
  const descriptor = openSync(log, 'w')
  const end = await runGate(planted, descriptor)
  closeSync(descriptor)
  return { end, printed: readFileSync(log, 'utf8') }
}

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'notewire-gates-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

/** Whether a process runs. One that has ended may remain as a zombie. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout.trim() !== '' && !stdout.startsWith('Z')
}

describe('a gate', () => {
  it('passes if its command does', async () => {
    const { end, printed } = await outcomeOf(gate('echo done'))
    expect(end.failure).toBeUndefined()
    expect(printed).toBe('done\n')
  })

  it('fails with the exit status of its command', async () => {
    expect((await outcomeOf(gate('exit 3'))).end.failure).toBe('exit status 3')
  })

  it('is stopped at its limit, with all processes that it has started', async () => {
    // The last one has a process group of its own, and ignores SIGTERM.
    const started = `sleep 900 & echo $!; setsid sh -c 'trap "" TERM; echo $$; while :; do sleep 1; done' & wait`
    const { end, printed } = await outcomeOf(gate(started, 2))
    expect(end.failure).toBe('it exceeded its limit of 2 s and was stopped')
    const processes = printed.trim().split('\n').map(Number)
    expect(processes).toHaveLength(2)
    for (const pid of processes) expect(isAlive(pid)).toBe(false)
  })

  it('names the tests that run when it is stopped, even if a loop blocks them', async () => {
    const folder = await aFolder()
    const imports = `import { it } from ${JSON.stringify(join(WORKSPACE, 'node_modules/vitest/dist/index.js'))}\n`
    await writeFile(join(folder, 'waits.test.mjs'), `${imports}it('never ends', () => new Promise(() => {}))`)
    await writeFile(join(folder, 'loops.test.mjs'), `${imports}it('loops', () => { for (;;); })`)
    await writeFile(
      join(folder, 'vitest.config.mjs'),
      `import { ResultsReporter } from ${JSON.stringify(join(WORKSPACE, 'tests/report-results.ts'))}
      export default { test: { reporters: ['default', new ResultsReporter()], testTimeout: 900_000, maxWorkers: 2 } }`,
    )
    const { printed } = await outcomeOf(gate(`vitest run --root ${folder}`, 30))
    expect(printed).toContain('Running when the tests were stopped: waits.test.mjs > never ends')
    expect(printed).toContain('Running when the tests were stopped: loops.test.mjs > loops')
  })
})

it('the test projects of a group start in the order in which they are listed', async () => {
  const folder = await aFolder()
  const test = `import { it } from ${JSON.stringify(join(WORKSPACE, 'node_modules/vitest/dist/index.js'))}\nit('is', () => {})`
  const projects = ['second-in-the-alphabet', 'first', 'a-later-group'].map((name) => ({
    test: { name, include: [`${name}.test.mjs`], sequence: { groupOrder: name === 'a-later-group' ? 2 : 1 } },
  }))
  for (const { test: project } of projects) await writeFile(join(folder, `${project.name}.test.mjs`), test)
  await writeFile(
    join(folder, 'vitest.config.mjs'),
    `import { ProjectOrder } from ${JSON.stringify(join(WORKSPACE, 'tests/project-order.ts'))}
    const projects = ${JSON.stringify([...projects.slice(2), ...projects.slice(0, 2)])}
    export default { test: { projects, maxWorkers: 1, sequence: { sequencer: ProjectOrder } } }`,
  )
  const { printed } = await outcomeOf(gate(`NO_COLOR=1 vitest run --root ${folder}`))
  const order = [...printed.matchAll(/\S+(?=\.test\.mjs \()/g)].map(([name]) => name)
  expect(order).toEqual(['second-in-the-alphabet', 'first', 'a-later-group'])
})

describe('the gates', () => {
  it('have different names', () => {
    const names = ROWS.flat().map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(() => gateOf('lints')).toThrow('There is no gate "lints". The gates are lint, types, ')
  })

  it.each(ROWS.flat().filter(({ command }) => command.includes('vitest')))(
    '$name: its limit leaves a test that hangs the time to be named',
    ({ limitSeconds }) => {
      const { testTimeout = 0, hookTimeout = 0 } = workspace.test ?? {}
      // The hang may begin when all other tests have ended, which takes a third of the limit.
      expect((testTimeout + hookTimeout) / 1_000).toBeLessThanOrEqual((limitSeconds * 2) / 3)
    },
  )
})

describe('the end of a run', () => {
  const run: TestResults = {
    passed: 7,
    failed: 0,
    skipped: { 'only `npm run proof` runs them': 2 },
    missing: [],
    secondsOfProjects: { client: 3.4 },
  }
  const other: TestResults = {
    passed: 5,
    failed: 1,
    skipped: { 'only `npm run proof` runs them': 1, 'python3 is not installed': 1 },
    missing: ['chromium'],
    secondsOfProjects: { console: 0.6 },
  }
  const ended = (name: string, failure?: string): GateEnd => ({ gate: { ...gate(''), name }, seconds: 12, failure })

  it('shows seconds, why tests were skipped, which gate failed, and on the last line the numbers', () => {
    expect(summaryOf([ended('test'), ended('test:rest', 'exit status 1')], [run, other])).toBe(`
Seconds of each test project:
     3  client
     1  console

Seconds of each gate:
    12  test
    12  test:rest

Skipped tests:
     3  only \`npm run proof\` runs them
     1  python3 is not installed

Left out: test files that need chromium, which is not installed.

== FAILED: test:rest: exit status 1

12 passed, 1 failed, 4 skipped`)
  })

  it('shows no numbers if no test ran', () => {
    expect(summaryOf([ended('lint', 'exit status 1')], [])).toMatch(/\n== FAILED: lint: exit status 1$/)
  })
})
