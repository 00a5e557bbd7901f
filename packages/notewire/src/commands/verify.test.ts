import { createHmac } from 'node:crypto'
import { chmod, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { createNotesService } from '@notewire/mock-server'
import { anEvent, signAttempt } from '@notewire/webhooks/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { cleanUp } from '../../fixtures/leftovers.ts'
import { runNotewire, startNotewire } from '../../fixtures/run-notewire.ts'
import { anotherSecret, aSecret } from '../../fixtures/secrets.ts'
import { temporaryFolder } from '../../fixtures/temporary-folder.ts'
import { unwrapped } from '../../fixtures/unwrapped.ts'

afterEach(cleanUp)

const env = { NOTES_SIGNING_SECRET: aSecret }
const event = { ...anEvent({ kind: 'note.ended' }), marker: 'marker in the bödy' }
const json = JSON.stringify(event)
const SIGNED_AT = Date.parse('2026-01-01T09:00:00Z')

interface Delivery {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** A delivery that was signed now, with changes. */
async function delivery(changed: Partial<Delivery> = {}, body = json): Promise<Delivery> {
  return { ...(await signAttempt(aSecret, body)), ...changed }
}

/** The delivery as a capture. A body that is not text is in base64. */
function capture({ headers, body }: Delivery): string {
  const content = typeof body === 'string' ? { body } : { body_base64: Buffer.from(body).toString('base64') }
  return JSON.stringify({ method: 'POST', headers, ...content })
}

/** The verdict of `--json`. */
async function verdictOf(sent: Delivery, args: readonly string[] = []) {
  const { stdout } = await runNotewire(['verify', '--json', ...args], { env, input: capture(sent) })
  return JSON.parse(stdout)
}

const codesOf = ({ causes }: { causes: readonly { code: string }[] }) => causes.map(({ code }) => code)

describe('notewire verify', () => {
  it('ends with 0 for a delivery that is valid', async () => {
    const { exitCode, stdout, stderr } = await runNotewire(['verify'], { env, input: capture(await delivery()) })
    expect(stdout).toMatch(
      /^✓ valid: signed with the signing secret, \d+ s old\n {2}Next step: If a receiver rejects this delivery/,
    )
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  })

  it('reads what notewire listen --save writes, and compares its timestamp with its time of arrival', async () => {
    const cwd = await temporaryFolder()
    const running = startNotewire(['listen', '--port', '0', '--save', 'saved'], { env, cwd })
    const [, url = ''] = await running.saw(/Listening on ([^\s"]+)/)
    const sent = await delivery()
    const old = await signAttempt(aSecret, json, { signedAt: SIGNED_AT })
    await fetch(url, { method: 'POST', headers: sent.headers, body: JSON.stringify(event, null, 2) })
    const [, first = ''] = await running.saw(/Saved saved\/(\S+\.json)/)
    await fetch(url, { method: 'POST', ...old })
    const [, second = ''] = await running.saw(/Saved [\s\S]+Saved saved\/(\S+\.json)/)
    expect((await stat(join(cwd, 'saved', first))).mode & 0o777).toBe(0o600)
    const verdict = async (file: string, ...args: readonly string[]) =>
      JSON.parse((await runNotewire(['verify', '--json', `saved/${file}`, ...args], { env, cwd })).stdout)
    expect(codesOf(await verdict(first))).toEqual(['body_reserialised'])
    const late = await verdict(second)
    expect(codesOf(late)).toEqual(['timestamp_too_old'])
    expect(late.causes[0].next_step).toMatch(/clock/)
    expect(await verdict(second, '--ignore-time')).toMatchObject({ verdict: 'valid' })
  })

  it('continues to listen with a warning when a delivery cannot be saved', async () => {
    const cwd = await temporaryFolder()
    await writeFile(join(cwd, 'saved'), 'a file')
    const running = startNotewire(['listen', '--port', '0', '--save', 'saved'], { env, cwd })
    const [, url = ''] = await running.saw(/Listening on ([^\s"]+)/)
    expect(await fetch(url, { method: 'POST', ...(await signAttempt(aSecret, event)) })).toMatchObject({ status: 204 })
    await running.saw(/The delivery was not saved in saved: it exists already/)
  })

  it('verifies what the mock service sends', async () => {
    await using service = await createNotesService()
    const secrets: string[] = []
    await service.connect((given) => {
      secrets.push(given)
      return () => new Response(null, { status: 204 })
    })
    service.owner.record({ title: 'Stand-up' }).end()
    await service.settled()
    expect(service.attempts).toHaveLength(3)
    for (const input of service.attempts.map(capture)) {
      const secret = { NOTES_SIGNING_SECRET: secrets[0] ?? '' }
      const { exitCode } = await runNotewire(['verify', '--json', '--ignore-time'], { env: secret, input })
      expect(exitCode).toBe(0)
    }
  })

  it('shows the cause, then the next step, then how to read the raw body in each framework', async () => {
    const sent = await delivery({ body: JSON.stringify(event, null, 2) })
    const { exitCode, stdout } = await runNotewire(['verify'], { env, input: capture(sent) })
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(
      /^✗ invalid: the body was re-serialised in transit.*\n {2}Next step: Find the proxy or parser/,
    )
    for (const words of ['[body_reserialised]', 'Express', 'Fastify', 'Next.js', 'Flask', 'Django', 'Rails']) {
      expect(stdout).toContain(words)
    }
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  it('names the cause of each fault of a request', async () => {
    const sent = await delivery()
    const { 'webhook-id': id = '', ...withoutId } = sent.headers
    const { 'webhook-timestamp': timestamp = '', 'webhook-signature': signature = '' } = sent.headers
    const withHeader = (name: string, value: string) => ({ ...sent, headers: { ...sent.headers, [name]: value } })
    const faults: readonly (readonly [cause: string, fault: Delivery])[] = [
      ['header_missing', { ...sent, headers: withoutId }],
      ['header_missing', { ...sent, headers: { ...withoutId, 'svix-id': id } }],
      ['header_malformed', withHeader('webhook-timestamp', 'Thu, 01 Jan 2026 09:00:00 GMT')],
      ['header_malformed', { ...sent, headers: { ...sent.headers, 'Webhook-Id': id } }],
      ['signature_version', withHeader('webhook-signature', signature.replace('v1,', 'v2,'))],
      ['signature_version', withHeader('webhook-signature', signature.slice(0, 30))],
      ['body_newline', { ...sent, body: `${json}\n` }],
      ['body_line_endings', await delivery({ body: '{\r\n"a": 1 }' }, '{\n"a": 1 }')],
      ['body_encoding', { ...sent, body: `\ufeff${json}` }],
      ['body_encoding', { ...sent, body: Uint8Array.from(json, (character) => character.charCodeAt(0)) }],
      ['body_encoding', { ...sent, body: Buffer.from(json).toString('latin1') }],
      ['body_encoded', { ...sent, body: Buffer.from(json).toString('base64') }],
      ['body_encoded', { ...sent, body: JSON.stringify(json) }],
      ['body_reserialised', { ...sent, body: JSON.stringify(event, null, 4) }],
      ['body_incomplete', { ...sent, body: '' }],
      ['body_incomplete', { ...sent, body: json.slice(0, 40) }],
      ['body_incomplete', { ...withHeader('content-length', '999'), body: '{}' }],
      ['signature_encoding', withHeader('webhook-signature', inEncoding(signature, 'hex'))],
      ['signature_encoding', withHeader('webhook-signature', inEncoding(signature, 'base64url'))],
      ['body_compressed', { ...withHeader('content-encoding', 'gzip'), body: gzipSync(json) }],
      ['body_form_encoded', { ...sent, body: new URLSearchParams({ payload: json }).toString() }],
      ['secret_not_decoded', signedWith(aSecret, sent)],
      ['secret_not_decoded', signedWith(aSecret.slice('whsec_'.length), sent)],
      ['secret_or_body_differs', await signAttempt(anotherSecret, json)],
      ['secret_or_body_differs', { ...sent, body: json.replace('marker', 'Marker') }],
      ['timestamp_too_old', await signAttempt(aSecret, json, { signedAt: SIGNED_AT })],
      ['timestamp_too_new', await signAttempt(aSecret, json, { signedAt: Date.now() + 3_600_000 })],
      ['timestamp_in_milliseconds', await signAttempt(aSecret, json, { signedAt: Number(timestamp) * 1_000_000 })],
    ]
    const found = await Promise.all(faults.map(([, fault]) => verdictOf(fault)))
    expect(found.map(codesOf)).toEqual(faults.map(([cause]) => [cause]))
    expect(JSON.stringify(found)).not.toMatch(/marker|whsec_[A-Za-z0-9_-]{10}/)
  })

  it.each([
    ['quotes', `"${aSecret}"`, /quotes/],
    ['its name', `NOTES_SIGNING_SECRET=${aSecret}`, /name of its variable/],
    ['no prefix', aSecret.slice('whsec_'.length), /does not start with "whsec_"/],
    ['half of it', aSecret.slice(0, 20), /too short/],
  ])('names the cause secret_malformed for a secret with %s', async (_fault, secret, words) => {
    const input = capture(await delivery())
    const { exitCode, stdout, stderr } = await runNotewire(['verify'], { env: { NOTES_SIGNING_SECRET: secret }, input })
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(words)
    expect(stdout).toContain('[secret_malformed]')
    expect(stdout + stderr).not.toContain(aSecret.slice('whsec_'.length))
  })

  it('prints one line of JSON, without the secret or the body', async () => {
    const sent = await delivery()
    expect(await verdictOf(sent)).toEqual({
      schema_version: 1,
      verdict: 'valid',
      request: {
        method: 'POST',
        webhook_id: sent.headers['webhook-id'],
        body_bytes: Buffer.byteLength(json),
      },
      timestamp: Number(sent.headers['webhook-timestamp']),
      age_seconds: expect.any(Number),
      secret: { number: 1, name: 'the signing secret' },
      causes: [],
    })
    const input = capture({ ...sent, body: JSON.stringify(event, null, 2) })
    const { exitCode, stdout, stderr } = await runNotewire(['verify', '--json'], { env, input })
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: 'invalid',
      reason: 'no-matching-signature',
      causes: [{ code: 'body_reserialised', what: expect.any(String), next_step: expect.any(String) }],
    })
    expect(exitCode).toBe(1)
    expect(stdout + stderr).not.toMatch(/marker|whsec_/)
  })

  it('reads the capture and other secrets from files, and warns of a secret that others can read', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'delivery.json'), capture(await delivery()))
    await writeFile(join(folder, 'other.txt'), `${aSecret}\n`)
    await chmod(join(folder, 'other.txt'), 0o644)
    const args = ['verify', 'delivery.json', '--other-secret-file', 'other.txt']
    const ended = await runNotewire(args, { cwd: folder, env: { NOTES_SIGNING_SECRET: anotherSecret } })
    expect(ended.stdout).toContain('secret 2 (other.txt)')
    expect(ended).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('chmod 600 other.txt') })
  })

  it('compares the timestamp with the current time, or ignores it', async () => {
    const input = capture(await signAttempt(aSecret, json, { signedAt: SIGNED_AT }))
    const stale = await runNotewire(['verify'], { env, input })
    expect(stale.exitCode).toBe(1)
    expect(stale.stdout).toMatch(/^✗ invalid: the timestamp is \d+ (?:h|days) \(\d+ s\) (?:old|ahead);/)
    expect(stale.stdout).toContain('--ignore-time')
    expect(await runNotewire(['verify', '--ignore-time'], { env, input })).toMatchObject({ exitCode: 0 })
  })

  it.each([
    ['a raw HTTP request', ['verify'], 'POST / HTTP/1.1', 1, /is not JSON\. It is a JSON object with "headers"/],
    ['an empty one', ['verify'], '', 1, /is empty/],
    ['a missing file', ['verify', 'missing.json'], '', 1, /missing\.json/],
    ['a folder', ['verify', '.'], '', 1, /cannot be read from \.: it is a folder/],
  ])('explains the problem with %s', async (_fault, args, input, exitCode, words) => {
    const ended = await runNotewire(args, { env, input })
    expect(unwrapped(ended.stderr)).toMatch(words)
    expect(ended).toMatchObject({ exitCode, stdout: '' })
  })
})

function inEncoding(signature: string, encoding: 'hex' | 'base64url'): string {
  return `v1,${Buffer.from(signature.slice('v1,'.length), 'base64').toString(encoding)}`
}

function signedWith(key: string, { headers, body }: Delivery): Delivery {
  const content = Buffer.concat([
    Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`),
    Buffer.from(body),
  ])
  const signature = createHmac('sha256', key).update(content).digest('base64')
  return { headers: { ...headers, 'webhook-signature': `v1,${signature}` }, body }
}
