import { once } from 'node:events'
import { connect } from 'node:net'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { recordingReceiver } from '../../fixtures/recording-receiver.ts'
import { TEST_SECRET } from '../../fixtures/secrets.ts'
import { startServer } from '../../fixtures/start-server.ts'
import { anEvent } from '../testing/an-event.ts'
import { type SignedAttempt, signAttempt } from '../testing/sign-attempt.ts'
import { expressHandler } from './express.ts'
import { nodeHandler } from './node.ts'

const PATH = '/webhooks/notes'

describe('the option `path` of a receiver', () => {
  it('is compared with the requested path, including mount points', async () => {
    const { applied, receiver } = recordingReceiver({ path: '/api/webhooks/notes' })
    await using server = await startServer(express().use('/api', express().use('/webhooks', expressHandler(receiver))))
    const { headers, body } = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
    const at = async (path: string) =>
      (await fetch(new URL(path, server.url), { method: 'POST', headers, body })).status
    expect(await at('/api/webhooks/notes?from=console')).toBe(204)
    expect(await at('/api/webhooks/other')).toBe(404)
    expect(applied).toHaveLength(1)
  })

  it.each([
    ['/webhooks/notes', '204'],
    ['/webhooks/notes?from=console', '204'],
    ['http://app.example/webhooks/notes', '204'],
    ['HTTPS://app.example:8443/webhooks/notes?from=console', '204'],
    ['http://app.example/webhooks/other', '404'],
    ['http://app.example', '404'],
    ['/other?http://app.example/webhooks/notes', '404'],
  ])('is compared with the path in any form of request target: %s gets %s', async (target, status) => {
    await using server = await startServer(nodeHandler(recordingReceiver({ path: PATH }).receiver))
    const attempt = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
    expect(await statusOfRaw(server.port, target, attempt)).toBe(status)
  })

  it('may be the root, which a request target may omit', async () => {
    await using server = await startServer(nodeHandler(recordingReceiver({ path: '/' }).receiver))
    const attempt = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
    expect(await statusOfRaw(server.port, 'http://app.example', attempt)).toBe('204')
    expect(await statusOfRaw(server.port, '/?from=console', attempt)).toBe('204')
  })
})

async function statusOfRaw(
  port: number,
  target: string,
  { headers, body }: SignedAttempt,
): Promise<string | undefined> {
  const socket = connect(port, '127.0.0.1')
  const lines = Object.entries({ host: 'x', ...headers, 'content-length': Buffer.byteLength(body) })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.write(`POST ${target} HTTP/1.1\r\n${head}\r\n${body}`)
  const [data] = await once(socket, 'data')
  socket.destroy()
  return String(data).split(' ')[1]
}
