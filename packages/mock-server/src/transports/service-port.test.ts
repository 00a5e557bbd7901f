import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { call } from '../../fixtures/call.ts'
import { createNotesService } from '../service/create-notes-service.ts'
import type { NotesService } from '../service/notes-service.ts'

async function aReceiverOnAPort(answer: RequestListener): Promise<{ readonly url: string } & AsyncDisposable> {
  const server: Server = createServer(answer)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${port}/webhooks/notes`, [Symbol.asyncDispose]: close }
}

async function register(service: NotesService, url: string): Promise<string> {
  const body = { url, events: ['note.ended'] }
  return (await call<{ endpoint_id: string }>(service, 'POST /v1/webhook-endpoints', { body })).body.endpoint_id
}

describe('a service that listens', () => {
  it('answers on a free port of the loopback address', async () => {
    await using service = await createNotesService({ notes: 3 })
    const { url } = await service.listen()
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(service.baseUrl).toBe(url)
    const response = await fetch(`${url}/v1/notes`, { headers: { authorization: `Bearer ${service.apiKey}` } })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ notes: { length: 3 } })
  })

  it('accepts requests without a Content-Length: a DELETE, and a body in chunks', async () => {
    await using service = await createNotesService()
    const { url } = await service.listen()
    const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' }
    const text = JSON.stringify({ url: 'https://receiver.example/notes', events: ['note.ended'] })
    const body = new Blob([text]).stream()
    const init = { method: 'POST', headers, body, duplex: 'half' } as const
    const created = await fetch(`${url}/v1/webhook-endpoints`, init)
    expect(created.status).toBe(201)
    const { endpoint_id } = (await created.json()) as { readonly endpoint_id: string }
    const deleted = await fetch(`${url}/v1/webhook-endpoints/${endpoint_id}`, { method: 'DELETE', headers })
    expect(deleted.status).toBe(204)
  })

  it('uses real time, also in its answers', async () => {
    await using service = await createNotesService()
    const { url } = await service.listen()
    const response = await fetch(`${url}/v1/notes`)
    expect(Math.abs(service.clock.now() - Date.now())).toBeLessThan(60_000)
    expect(Math.abs(Date.parse(response.headers.get('date') ?? '') - Date.now())).toBeLessThan(60_000)
  })

  it('uses virtual time with clock: virtual', async () => {
    await using service = await createNotesService({ clock: 'virtual' })
    const { url } = await service.listen()
    const response = await fetch(`${url}/v1/notes`)
    expect(response.headers.get('date')).toBe('Thu, 01 Jan 2026 00:00:00 GMT')
  })

  it('accepts a host and a port, and throws if the port is taken', async () => {
    await using one = await createNotesService()
    await using two = await createNotesService()
    const { url } = await one.listen({ host: '0.0.0.0' })
    expect((await fetch(`${url}/v1/notes`)).status).toBe(401)
    const port = Number(new URL(url).port)
    await expect(two.listen({ host: '0.0.0.0', port })).rejects.toMatchObject({ code: 'listen_failed' })
    await expect(two.listen({ host: '0.0.0.0', port })).rejects.toThrow(`port ${port} (EADDRINUSE)`)
    await expect(two.listen()).resolves.toBeDefined()
  })

  it('throws if it listens already', async () => {
    await using service = await createNotesService()
    const first = service.listen()
    await expect(service.listen()).rejects.toMatchObject({ code: 'already_listening' })
    await first
  })

  it('accepts no connections after it is closed', async () => {
    const service = await createNotesService()
    const { url } = await service.listen()
    await service.close()
    await expect(fetch(`${url}/v1/notes`)).rejects.toThrow('fetch failed')
  })

  it('does not replace the globals of the process', async () => {
    const before = [Request, Response]
    await using service = await createNotesService()
    await service.listen()
    expect([Request, Response]).toEqual(before)
  })

  it('answers 413 to a body without an end, and continues to work', async () => {
    await using service = await createNotesService()
    const { url } = await service.listen()
    const endless = new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(16_384)) })
    const response = await fetch(`${url}/v1/webhook-endpoints`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.apiKey}` },
      body: endless,
      duplex: 'half',
    } as RequestInit)
    expect(response.status).toBe(413)
    expect((await fetch(`${url}/v1/notes`)).status).toBe(401)
  })
})

describe('a delivery over a socket', () => {
  it('is signed with the time of the machine', async () => {
    const timestamps: number[] = []
    await using receiver = await aReceiverOnAPort((request, response) => {
      timestamps.push(Number(request.headers['webhook-timestamp']))
      response.writeHead(204).end()
    })
    await using service = await createNotesService({ clock: 'real' })
    await register(service, receiver.url)
    await service.settled()
    expect(Math.abs((timestamps[0] ?? 0) - Date.now() / 1000)).toBeLessThan(60)
    expect(service.deliveries).toMatchObject([{ status: 'delivered' }])
  })

  it('does not follow a redirect, and counts it as a failure (§2, §7)', async () => {
    const paths: (string | undefined)[] = []
    await using receiver = await aReceiverOnAPort((request, response) => {
      paths.push(request.url)
      response.writeHead(307, { location: '/elsewhere' }).end('moved')
    })
    await using service = await createNotesService()
    const endpoint_id = await register(service, receiver.url)
    await service.clock.advance('30s')
    expect(paths).toEqual(['/webhooks/notes', '/webhooks/notes'])
    expect(service.attempts[0]?.outcome).toEqual({ kind: 'answered', status: 307 })
    const { body } = await call(service, `GET /v1/webhook-endpoints/${endpoint_id}`)
    expect(body).toMatchObject({ status: 'pending_verification' })
  })

  it('fails when the receiver does not listen', async () => {
    const { url, [Symbol.asyncDispose]: close } = await aReceiverOnAPort(() => undefined)
    await close()
    await using service = await createNotesService()
    await register(service, url)
    await service.clock.advance(0)
    expect(service.attempts[0]?.outcome).toEqual({ kind: 'connection_failed', reason: 'ECONNREFUSED' })
  })

  it('fails when the connection breaks', async () => {
    await using receiver = await aReceiverOnAPort((request) => request.socket.destroy())
    await using service = await createNotesService()
    await register(service, receiver.url)
    await service.clock.advance(0)
    expect(service.attempts[0]?.outcome).toMatchObject({
      kind: 'connection_failed',
      reason: expect.stringMatching(/^[A-Z_]+$/),
    })
  })

  it('stops virtual time until the receiver has answered', async () => {
    await using receiver = await aReceiverOnAPort((_, response) => {
      setTimeout(() => response.writeHead(204).end(), 30)
    })
    await using service = await createNotesService()
    await register(service, receiver.url)
    await service.settled()
    expect(service.attempts).toMatchObject([{ duration_ms: 0, outcome: { status: 204 } }])
  })

  it('is aborted when the service closes', async () => {
    const reached = Promise.withResolvers<void>()
    const hungUp = Promise.withResolvers<void>()
    await using receiver = await aReceiverOnAPort((request) => {
      request.socket.once('close', () => hungUp.resolve())
      reached.resolve()
    })
    const service = await createNotesService()
    await register(service, receiver.url)
    await reached.promise
    await service.close()
    await hungUp.promise
  })
})
