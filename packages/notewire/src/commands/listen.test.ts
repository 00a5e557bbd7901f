import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { anEvent, signAttempt } from '@notewire/webhooks/testing'
import { createVerifier } from '@notewire/webhooks/verify'
import { afterEach, describe, expect, it } from 'vitest'
import { CLOSED_PORT } from '../../fixtures/closed-port.ts'
import { cleanUp, leave } from '../../fixtures/leftovers.ts'
import { mockService } from '../../fixtures/mock-service.ts'
import { startNotewire } from '../../fixtures/run-notewire.ts'
import { anotherSecret, aSecret } from '../../fixtures/secrets.ts'
import { unwrapped } from '../../fixtures/unwrapped.ts'

afterEach(cleanUp)

const KNOWN = { NOTES_SIGNING_SECRET: aSecret }

describe('listen --register', () => {
  it('with a service that is down does not say that an endpoint may have been created', async () => {
    const env = { NOTES_BASE_URL: CLOSED_PORT, NOTES_API_KEY: 'ntw_live_k.secret' }
    const { exitCode, stderr } = await startNotewire(['listen', '--port', '0', '--register'], { env }).ended
    expect(exitCode).toBe(5)
    expect(unwrapped(stderr)).not.toMatch(/may have created|endpoint is there/)
  })
})

describe('listen', () => {
  it('verifies a delivery, answers it, and shows it on one line of 80 columns', async () => {
    const { url, running } = await listening([])
    const event = anEvent({ kind: 'note.ended', revision: 4 })
    const answer = await fetch(url, { method: 'POST', ...(await signAttempt(aSecret, event)) })
    expect(answer.status).toBe(204)
    const [line] = await running.saw(/^.*✓ {2}204 {2}note\.ended .*$/m)
    expect(line).toContain(event.data.note_id)
    expect(line).toContain('rev 4')
    expect(line.length).toBeLessThanOrEqual(80)
  })

  it.each([
    [
      'another secret',
      () => signAttempt(anotherSecret, anEvent({ kind: 'note.updated' })),
      /no-matching-signature.*another endpoint/s,
    ],
    [
      'an old timestamp',
      () => signAttempt(aSecret, anEvent({ kind: 'note.updated' }), { signedAt: Date.now() - 400_000 }),
      /timestamp-too-old/,
    ],
    ['no signature', async () => ({ headers: {}, body: '{}' }), /missing-header.*webhook-id/s],
    ['a body that was re-serialised', reserialised, /re-serialised/],
  ])('says why it refuses a delivery with %s', async (_fault, attempt, why) => {
    const { url, running } = await listening([])
    expect((await fetch(url, { method: 'POST', ...(await attempt()) })).status).toBe(401)
    await running.saw(why)
  })

  it('tells duplicates and stale events from news', async () => {
    const { url, running } = await listening([])
    const event = anEvent({ kind: 'note.updated', revision: 4 })
    const stale = anEvent({ kind: 'note.updated', revision: 3, noteId: event.data.note_id })
    for (const each of [event, event, stale])
      await fetch(url, { method: 'POST', ...(await signAttempt(aSecret, each)) })
    await running.saw(/a duplicate[\s\S]*stale: the note is at revision 4/)
  })

  it('prints JSON alone with --json, without signatures and secrets', async () => {
    const { url, running } = await listening(['--json'])
    const { headers, body } = await signAttempt(aSecret, anEvent({ kind: 'note.ended' }))
    await fetch(url, { method: 'POST', headers, body })
    await running.saw(/\}\n/)
    running.child.kill('SIGINT')
    const { stdout, exitCode } = await running.ended
    expect(exitCode).toBe(0)
    const [ready, received] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(ready).toEqual({ schema_version: 1, listening: url })
    expect(received).toMatchObject({
      verification: 'verified',
      event_type: 'note.ended',
      outcome: 'applied',
      answered: 204,
    })
    expect(stdout).not.toContain(headers['webhook-signature'])
    expect(stdout).not.toContain('whsec_')
  })

  it('removes control characters from what it shows', async () => {
    const { url, running } = await listening([])
    const event = { ...anEvent({ kind: 'note.updated' }), event_type: 'note.\u001b[2Jnew' }
    await fetch(url, { method: 'POST', ...(await signAttempt(aSecret, event)) })
    const [line] = await running.saw(/^.*2Jnew.*$/m)
    expect(line).not.toContain('\u001b')
  })

  it('registers an endpoint with --register, receives its deliveries, and removes it at Ctrl-C', async () => {
    const { service, env } = await mockService()
    const { running } = await listening(['--register'], env)
    await running.saw(/✓ {2}204 {2}endpoint\.verification/)
    service.owner.record({ title: 'Stand-up' }).end()
    await running.saw(/✓ {2}204 {2}note\.ended/)
    running.child.kill('SIGINT')
    expect((await running.ended).exitCode).toBe(0)
    expect(service.requests.at(-1)).toMatchObject({ method: 'DELETE', status: 204 })
  })

  it('says so when the endpoint could not be removed', async () => {
    const { service, env } = await mockService()
    const { running } = await listening(['--register'], env)
    await running.saw(/Registered as/)
    await service.close()
    running.child.kill('SIGINT')
    const { exitCode, stderr } = await running.ended
    expect(exitCode).toBe(1)
    expect(stderr.replace(/\s+/g, ' ')).toContain('Remove it: notewire endpoints delete whe_')
  })

  it('ends with 1 where the port is taken', async () => {
    const { url } = await listening([])
    const running = startNotewire(['listen', '--port', new URL(url).port], { env: KNOWN })
    const { exitCode, stderr } = await running.ended
    expect(exitCode).toBe(1)
    expect(stderr.replace(/\s+/g, ' ')).toMatch(/the port is taken \(127\.0\.0\.1:\d+\)\. Choose another with --port/)
  })

  it('ends with 3 where the secret is none, and does not show it', async () => {
    const running = startNotewire(['listen', '--port', '0'], { env: { NOTES_SIGNING_SECRET: 'whsec_short' } })
    const { exitCode, stderr } = await running.ended
    expect(exitCode).toBe(3)
    expect(stderr).toContain('secret_malformed')
    expect(stderr).not.toContain('short')
  })
})

describe('listen --forward-to', () => {
  it('signs what was verified anew, for the other receiver, and answers what that answers', async () => {
    const other = await otherReceiver(202)
    const { url, running } = await listening(['--forward-to', other.url], {
      ...KNOWN,
      NOTEWIRE_FORWARD_SECRET: anotherSecret,
    })
    const { headers, body } = await signAttempt(aSecret, anEvent({ kind: 'note.ended' }))
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(202)
    await running.saw(/forwarded: 202/)
    const [got] = other.received
    expect(got?.body).toBe(body)
    expect(got?.headers['webhook-id']).toBe(headers['webhook-id'])
    const verify = createVerifier({ secret: anotherSecret })
    expect(await verify(got?.body ?? '', got?.headers ?? {})).toMatchObject({ status: 'verified' })
  })

  it('passes nothing on that was refused, but with --forward-raw everything as it came', async () => {
    const other = await otherReceiver(204)
    const forged = await signAttempt(anotherSecret, anEvent({ kind: 'note.updated' }))
    const strict = await listening(['--forward-to', other.url])
    expect((await fetch(strict.url, { method: 'POST', ...forged })).status).toBe(401)
    expect(other.received).toEqual([])

    const raw = await listening(['--forward-to', other.url, '--forward-raw'])
    expect((await fetch(raw.url, { method: 'POST', ...forged })).status).toBe(204)
    expect(other.received).toMatchObject([{ body: forged.body, headers: forged.headers }])
    await raw.running.saw(/no-matching-signature[\s\S]*forwarded: 204/)
  })

  it('answers 502 where the other receiver is not there, so that the service tries again', async () => {
    const { url, running } = await listening(['--forward-to', `${CLOSED_PORT}/hook`])
    const answer = await fetch(url, {
      method: 'POST',
      ...(await signAttempt(aSecret, anEvent({ kind: 'note.updated' }))),
    })
    expect(answer.status).toBe(502)
    await running.saw(/! {2}502 .*\n *not forwarded: nothing listens there/)
  })
})

async function listening(args: readonly string[], env: Readonly<Record<string, string>> = KNOWN) {
  const running = startNotewire(['listen', '--port', '0', ...args], { env })
  const [, url = ''] = await running.saw(/[Ll]istening(?: on |":")([^\s"]+)/)
  return { url, running }
}

/** The signature is that of the compact JSON, and the body has spaces. */
async function reserialised() {
  const { headers, body } = await signAttempt(aSecret, anEvent({ kind: 'note.updated' }))
  return { headers, body: JSON.stringify(JSON.parse(body), null, 2) }
}

async function otherReceiver(status: number) {
  const received: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text) => {
      body += text
    })
    request.on('end', () => {
      received.push({ headers: request.headers, body })
      response.writeHead(status).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  leave(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received }
}
