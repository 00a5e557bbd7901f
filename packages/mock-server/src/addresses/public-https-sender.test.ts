import { once } from 'node:events'
import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { httpsIdentity } from '../fixtures/https-identity.ts'
import { isPublicAddress } from './public-address.ts'
import { publicHttpsSender } from './public-https-sender.ts'

/** A receiver on loopback with a certificate for receiver.example, and a sender that allows loopback. */
async function aReceiver(listener: RequestListener) {
  const server: Server = createServer(httpsIdentity, listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const resolved: string[] = []
  const send = publicHttpsSender({
    resolve: async (hostname) => {
      resolved.push(hostname)
      return ['127.0.0.1']
    },
    isAllowed: (address) => address === '127.0.0.1',
    ca: httpsIdentity.cert,
  })
  const { port } = server.address() as AddressInfo
  return {
    resolved,
    post: (url = `https://receiver.example:${port}/hooks?a=1`, signal?: AbortSignal) =>
      send(
        new Request(url, { method: 'POST', body: 'hello', headers: { 'webhook-id': 'msg_1' }, signal: signal ?? null }),
      ),
    port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const to = (addresses: readonly string[]) =>
  publicHttpsSender({ resolve: async () => addresses, isAllowed: isPublicAddress })(
    new Request('https://receiver.example/', { method: 'POST', body: 'hello' }),
  )

describe('a delivery to a public https URL', () => {
  it('goes to the address of the host name, with the host name in the header Host', async () => {
    let seen: { url: string | undefined; headers: IncomingHttpHeaders; body: string } | undefined
    await using receiver = await aReceiver(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      seen = { url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() }
      response.writeHead(202, { 'x-mine': ['one', 'two'] }).end('thanks')
    })
    const answer = await receiver.post()
    expect(receiver.resolved).toEqual(['receiver.example'])
    expect(seen).toMatchObject({
      url: '/hooks?a=1',
      headers: { host: `receiver.example:${receiver.port}`, 'webhook-id': 'msg_1', 'content-length': '5' },
      body: 'hello',
    })
    expect([answer.status, answer.headers.get('x-mine'), await answer.text()]).toEqual([202, 'one, two', 'thanks'])
  })

  it('does not follow a redirect (§8)', async () => {
    await using receiver = await aReceiver((_, response) =>
      response.writeHead(307, { location: 'https://elsewhere.example/' }).end(),
    )
    expect((await receiver.post()).status).toBe(307)
    expect(receiver.resolved).toHaveLength(1)
  })

  it('rejects a certificate of another host name', async () => {
    await using receiver = await aReceiver((_, response) => response.end())
    const sent = receiver.post(`https://impostor.example:${receiver.port}/`)
    await expect(sent).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
  })

  it('reads about 16 KiB of an answer without an end', async () => {
    await using receiver = await aReceiver((_, response) => {
      const pump = () => {
        while (response.write('a'.repeat(10_000)));
      }
      response.on('drain', pump)
      pump()
    })
    expect((await (await receiver.post()).text()).length).toBeLessThan(200_000)
  })

  it('is aborted by its signal', async () => {
    await using receiver = await aReceiver(() => undefined)
    await expect(receiver.post(undefined, AbortSignal.timeout(20))).rejects.toThrow()
  })

  it.each([
    ['a private address', ['10.1.2.3']],
    ['one public and one private address', ['8.8.8.8', '10.1.2.3']],
    ['no address', []],
  ])('is not sent if the host name resolves to %s', async (_, addresses) => {
    await expect(to(addresses)).rejects.toMatchObject({ code: 'address_not_public' })
  })

  it.each(['http://receiver.example/', 'https://intranet/'])('is not sent to %s, and resolves no name', async (url) => {
    await using receiver = await aReceiver((_, response) => response.end())
    const sent = receiver.post(url)
    await expect(sent).rejects.toMatchObject({ code: 'address_not_public' })
    expect(receiver.resolved).toEqual([])
  })

  it('is not sent if the host name now resolves to an address that is not allowed', async () => {
    await using receiver = await aReceiver((_, response) => response.end('the first one'))
    const answers = [['127.0.0.1'], ['10.1.2.3']]
    const send = publicHttpsSender({
      resolve: async () => answers.shift() ?? [],
      isAllowed: (address) => address === '127.0.0.1',
      ca: httpsIdentity.cert,
    })
    const post = () => send(new Request(`https://receiver.example:${receiver.port}/`, { method: 'POST', body: '{}' }))
    expect(await (await post()).text()).toBe('the first one')
    await expect(post()).rejects.toMatchObject({ code: 'address_not_public' })
  })
})
