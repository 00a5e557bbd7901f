import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { anEvent, signAttempt } from '@notewire/webhooks/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { runNotewire } from '../fixtures/run-notewire.ts'
import { anotherSecret, aSecret } from '../fixtures/secrets.ts'
import { temporaryFolder } from '../fixtures/temporary-folder.ts'

const body = JSON.stringify({ ...anEvent({ kind: 'note.ended' }), marker: 'marker-in-the-body' })
const env = { NOTES_SIGNING_SECRET: aSecret }

interface Sent {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

function rawOf({ headers, body: sent }: Sent): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return ['POST /webhooks/notes HTTP/1.1', ...lines, '', sent].join('\r\n')
}

function curlOf({ headers, body: sent }: Sent): string {
  const options = Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`)
  return `curl 'https://app.test/webhooks/notes' ${options.join(' \\\n  ')} --data-raw '${sent}'`
}

function harOf(...requests: readonly Sent[]): string {
  const entries = requests.map(({ headers, body: sent }) => ({
    request: {
      method: 'POST',
      headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
      postData: { text: sent },
    },
  }))
  return JSON.stringify({ log: { version: '1.2', entries } })
}

describe('notewire verify', () => {
  let attempt: Sent
  let pretty: Sent
  beforeAll(async () => {
    attempt = await signAttempt(aSecret, body)
    pretty = { ...attempt, body: JSON.stringify(JSON.parse(body), null, 2) }
  })

  it.each([
    ['a raw request', rawOf],
    ['a curl command', curlOf],
    ['an HTTP archive', (sent: Sent) => harOf(sent)],
  ])('ends with 0 for %s that is valid', async (_, write) => {
    const { exitCode, stdout, stderr } = await runNotewire(['verify'], { env, input: write(attempt) })
    expect(stdout).toMatch(/^✓ valid/)
    expect(stderr).toBe('')
    expect(exitCode).toBe(0)
  })

  it('ends with 1 for one that is not, says why, and how to mend it in each framework', async () => {
    const { exitCode, stdout } = await runNotewire(['verify'], { env, input: rawOf(pretty) })
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/^✗ invalid/)
    for (const words of ['body_reserialised', 'Express', 'Fastify', 'Next.js', 'Flask', 'Django', 'Rails']) {
      expect(stdout).toContain(words)
    }
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  it('prints one line of JSON a request with --json, and neither secret nor body anywhere', async () => {
    const { exitCode, stdout, stderr } = await runNotewire(['verify', '--json'], { env, input: harOf(attempt, pretty) })
    const reports = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(reports).toMatchObject([
      { verdict: 'valid', request: { entry: 1 } },
      { verdict: 'invalid', explanations: [{ findings: [{ code: 'body_reserialised' }] }] },
    ])
    expect(exitCode).toBe(1)
    expect(stdout + stderr).not.toMatch(/marker-in-the-body|whsec_/)
  })

  it('verifies the one request of an archive that was chosen', async () => {
    const { exitCode } = await runNotewire(['verify', '--entry', '1'], { env, input: harOf(attempt, pretty) })
    expect(exitCode).toBe(0)
  })

  it('reads the capture, and other secrets, from files', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'delivery.http'), rawOf(attempt))
    await writeFile(join(folder, 'other.txt'), `${aSecret}\n`, { mode: 0o600 })
    const args = ['verify', 'delivery.http', '--other-secret-file', 'other.txt']
    const { exitCode, stdout } = await runNotewire(args, { cwd: folder, env: { NOTES_SIGNING_SECRET: anotherSecret } })
    expect(stdout).toContain('secret 2 (other.txt)')
    expect(exitCode).toBe(0)
  })

  it('warns of another secret that others may read', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'other.txt'), anotherSecret)
    await chmod(join(folder, 'other.txt'), 0o644)
    const args = ['verify', '--other-secret-file', 'other.txt']
    const { exitCode, stderr } = await runNotewire(args, { cwd: folder, env, input: rawOf(attempt) })
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('chmod 600 other.txt') })
  })

  it('reads a body that a curl command names, beside the working folder', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'body.json'), body)
    const input = curlOf({ ...attempt, body: '' }).replace("--data-raw ''", '--data-binary @body.json')
    expect(await runNotewire(['verify', '-'], { cwd: folder, env, input })).toMatchObject({ exitCode: 0 })
  })

  it('judges the time by the clock, by another time, or not at all', async () => {
    const signedAt = Date.parse('2026-01-01T09:00:00Z')
    const input = rawOf(await signAttempt(aSecret, body, { signedAt }))
    const stale = await runNotewire(['verify'], { env, input })
    expect(stale.exitCode).toBe(1)
    expect(stale.stdout).toContain('The signature is right')
    expect(stale.stdout).toMatch(/the timestamp is \d+ (?:h|days) \(\d+ s\) (?:old|ahead);/)
    expect(stale.stdout).toMatch(/\[clock_too_(?:old|new)\]/)
    for (const args of [['--ignore-time'], ['--at', '2026-01-01T09:04:00Z'], ['--at', String(signedAt / 1000)]]) {
      expect(await runNotewire(['verify', ...args], { env, input })).toMatchObject({ exitCode: 0 })
    }
  })

  it.each([
    ['an unreadable capture', ['verify'], 'nothing that is known', 1, /is neither a curl command/],
    ['an empty one', ['verify'], '', 1, /is empty/],
    ['a file that is not there', ['verify', 'missing.http'], '', 1, /missing\.http/],
    ['a folder', ['verify', '.'], '', 1, /cannot be read from \.: it is a folder/],
    ['a time that is none', ['verify', '--at', 'yesterday'], '', 2, /--at takes a time/],
  ])('says what is wrong with %s', async (_, args, input, exitCode, words) => {
    const ended = await runNotewire(args, { env, input })
    expect(ended.stderr).toMatch(words)
    expect(ended).toMatchObject({ exitCode, stdout: '' })
  })
})
