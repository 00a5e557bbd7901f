import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { handWritten } from '../../fixtures/commands/doctor/hand-written-receiver.ts'
import { SECOND_TEST_SECRET, TEST_SECRET } from '../../fixtures/commands/doctor/secrets.ts'
import { type StartedReceiver, startReceiver } from '../../fixtures/commands/doctor/start-receiver.ts'
import { cleanUp } from '../../fixtures/leftovers.ts'
import { runNotewire, startInTerminal, startNotewire } from '../../fixtures/run-notewire.ts'
import type { ReceiverReport } from './doctor/report.ts'

let folder: string
let right: StartedReceiver

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'notewire-doctor-'))
  right = await startReceiver(handWritten())
})

afterAll(async () => {
  await right[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

afterEach(cleanUp)

describe('notewire doctor', () => {
  it('announces what it sends, prints a report, and exits with 0 when the receiver passes', async () => {
    const { code, stdout, stderr } = await doctor([right.url.href])
    expect(stderr).toMatch(/^Sending deliveries to http:\/\/127/)
    expect(stdout).toMatch(
      /^✓ The receiver passes; its effects were not tested \(--effects-url\)\.\n\nConnection and valid delivery\n {2}✓ /,
    )
    expect(stdout).toMatch(
      /\nThe receiver passes the checks that ran\.\n0 failed, 0 warned, \d+ passed, \d+ not tested\n/,
    )
    expect(stdout).toMatch(/\nNot tested, which is no fault of the receiver\n/)
    expect(stdout).toMatch(/\d+ checks:\s+a\s+test\s+build\s+can\s+list[\s\S]+--effects-url/)
    expect(stdout).not.toContain('whsec_whsec')
    expect(code).toBe(0)
  })

  it('runs every check with a second secret and an effects URL', async () => {
    const file = join(folder, 'second')
    await writeFile(file, SECOND_TEST_SECRET, { mode: 0o600 })
    const { stdout } = await doctor([
      right.url.href,
      '--json',
      '--second-secret-file',
      file,
      '--effects-url',
      right.effectsUrl.href,
    ])
    const report: ReceiverReport = JSON.parse(stdout)
    expect(report.summary).toMatchObject({ failed: 0, warned: 0, passed: 116, not_tested: 1 })
    expect(report.diagnosis).toBe('follows the contract')
  })

  it('exits with 1 when a "must" fails', async () => {
    await using receiver = await startReceiver(handWritten({ isCurrent: () => true }))
    const { code, stdout } = await doctor([receiver.url.href, '--only', 'timestamp'])
    expect(stdout).toMatch(/^✗ The receiver ignores the age of a delivery/)
    expect(stdout).toMatch(
      /✗ failed {2}A delivery signed 301 s ago is rejected \(4xx\)\n {2}check {4}timestamp\.stale\n/,
    )
    expect(code).toBe(1)
  })

  it('exits with 5 when the receiver cannot be reached', async () => {
    const gone = await startReceiver(handWritten())
    await gone[Symbol.asyncDispose]()
    const { code, stdout } = await doctor([gone.url.href, '--only', 'body'])
    expect(stdout).toMatch(
      /^✗ The receiver cannot be reached\.\n\n✗ failed {2}The receiver answers at its URL\n.*\(ECONNREFUSED\)/s,
    )
    expect(stdout).toMatch(/\nThe receiver could not be reached\.\n/)
    expect(code).toBe(5)
    expect(JSON.parse((await doctor([gone.url.href, '--json'])).stdout)).toMatchObject({
      complete: false,
      incomplete_because: 'the receiver could not be reached',
    })
  })

  it('exits with 1 and explains why when --time-limit ends before the first answer', async () => {
    await using receiver = await startReceiver(() => undefined)
    const { code, stdout, stderr } = await doctor([receiver.url.href, '--time-limit', '100ms'])
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain('the time limit of 0.1 s ended before the receiver answered')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  })

  it('prints only one JSON object without colour with --json', async () => {
    const { stdout, stderr } = await doctor([right.url.href, '--json', '--only', 'signature'], { FORCE_COLOR: '1' })
    expect(stderr).toBe('')
    expect(stdout.trim().split('\n')).toHaveLength(1)
    expect(JSON.parse(stdout)).toMatchObject({ schema_version: 1, report: 'receiver', complete: true })
  })

  it('never shows the secret', async () => {
    await using receiver = await startReceiver(handWritten({ matches: () => true }))
    const { stdout, stderr } = await doctor([receiver.url.href])
    expect(stdout).toContain('✗ failed')
    expect(stdout + stderr).not.toContain(TEST_SECRET.slice('whsec_'.length))
  })

  it('lists the checks with --list and sends nothing', async () => {
    const { code, stdout, stderr } = await doctor(['--list', '--json'])
    expect(stderr).toBe('')
    const { schema_version, checks } = JSON.parse(stdout)
    expect(schema_version).toBe(1)
    expect(checks.length).toBeGreaterThan(70)
    expect(code).toBe(0)
  })

  it.each([
    [[], /the URL of the receiver is missing\. Run/],
    [['ftp://localhost/hook'], /takes an http or https URL/],
    [['http://user:hidden@localhost/hook'], /takes a URL without credentials/],
    [['http://localhost/hook', '--only', 'nothing'], /argument 'nothing' is invalid/],
    [['http://localhost/hook', '--only', 'effect'], /the checks of effects need --effects-url/],
  ])('exits with 2 for wrong arguments: %j', async (typed, reason) => {
    const { code, stderr } = await doctor(typed)
    expect(stderr).toMatch(reason)
    expect(stderr).not.toContain('hidden')
    expect(code).toBe(2)
  })

  it('reports a malformed secret before it announces what it sends', async () => {
    const env = { NOTES_SIGNING_SECRET: 'whsec_abc' }
    const { exitCode, stderr } = await runNotewire(['doctor', 'http://127.0.0.1:9/hook'], { env })
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 3, stderr: expect.not.stringContaining('Sending') })
  })

  it('warns before it sends over http to another machine', async () => {
    const { stderr } = await doctor(['http://receiver.invalid/hook'])
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /^warning receiver\.invalid is not this machine, and http is not encrypted.* Sending/,
    )
  })

  it('exits with 130 at Ctrl-C in the middle of a delivery', async () => {
    const arrived = Promise.withResolvers<void>()
    await using receiver = await startReceiver(() => arrived.resolve())
    const { child, ended } = startNotewire(['doctor', receiver.url.href], context())
    await arrived.promise
    child.kill('SIGINT')
    expect((await ended).exitCode).toBe(130)
  })

  it('shows a progress bar and colours on a terminal, and asks for the secret without showing it', async () => {
    const { saw, type, ended } = startInTerminal(['doctor', right.url.href, '--only', 'body'], {
      cwd: folder,
      env: { TERM: 'xterm' },
    })
    await saw(/What is the signing secret\?/)
    type(`${TEST_SECRET}\r`)
    const { exitCode, stdout } = await ended
    expect(stdout).toMatch(/Checks {2}[█░]+ {2}\d+ of \d+/)
    expect(stdout).toContain('\u001b[32m✓\u001b[39m A valid note.ended is accepted (2xx)')
    expect(stdout).not.toContain(TEST_SECRET.slice('whsec_'.length))
    expect(exitCode).toBe(0)
  })
})

async function doctor(typed: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { exitCode: code, stdout, stderr } = await runNotewire(['doctor', ...typed], context(env))
  return { code, stdout, stderr }
}

function context(env: Readonly<Record<string, string>> = {}) {
  return { cwd: folder, env: { NOTES_SIGNING_SECRET: TEST_SECRET, ...env } }
}
