import { once } from 'node:events'
import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { httpsIdentity } from '../fixtures/https-identity.ts'
import { isPublicAddress } from './public-address.ts'
import { publicHttpsSender } from './public-https-sender.ts'

/** A receiver on loopback that calls itself receiver.example, and a sender for which loopback is public. */
async function aReceiver(listener: RequestListener) {
  const server: Server = createServer(httpsIdentity, listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const asked: string[] = []
  const send = publicHttpsSender({
    resolve: async (hostname) => {
      asked.push(hostname)
      return ['127.0.0.1']
    },
    admits: (address) => address === '127.0.0.1',
    ca: httpsIdentity.cert,
  })
  const { port } = server.address() as AddressInfo
  return {
    asked,
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
  publicHttpsSender({ resolve: async () => addresses, admits: isPublicAddress })(
    new Request('https://receiver.example/', { method: 'POST', body: 'hello' }),
  )

describe('a delivery to a public https URL', () => {
  it('goes to the address that the name resolved to once, under the name', async () => {
    let seen: { url: string | undefined; headers: IncomingHttpHeaders; body: string } | undefined
    await using receiver = await aReceiver(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      seen = { url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() }
      response.writeHead(202, { 'x-mine': ['one', 'two'] }).end('thanks')
    })
    const answer = await receiver.post()
    expect(receiver.asked).toEqual(['receiver.example'])
    expect(seen).toMatchObject({
      url: '/hooks?a=1',
      headers: { host: `receiver.example:${receiver.port}`, 'webhook-id': 'msg_1', 'content-length': '5' },
      body: 'hello',
    })
    expect([answer.status, answer.headers.get('x-mine'), await answer.text()]).toEqual([202, 'one, two', 'thanks'])
  })

  it('is not redirected (§8)', async () => {
    await using receiver = await aReceiver((_, response) =>
      response.writeHead(307, { location: 'https://elsewhere.example/' }).end(),
    )
    expect((await receiver.post()).status).toBe(307)
    expect(receiver.asked).toHaveLength(1)
  })

  it('takes no certificate of another name', async () => {
    await using receiver = await aReceiver((_, response) => response.end())
    const sent = receiver.post(`https://impostor.example:${receiver.port}/`)
    await expect(sent).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
  })

  it('reads no more of an endless answer than 16 KiB', async () => {
    await using receiver = await aReceiver((_, response) => {
      const pump = () => {
        while (response.write('a'.repeat(10_000)));
      }
      response.on('drain', pump)
      pump()
    })
    expect((await (await receiver.post()).text()).length).toBeLessThan(200_000)
  })

  it('ends with its signal', async () => {
    await using receiver = await aReceiver(() => undefined)
    await expect(receiver.post(undefined, AbortSignal.timeout(20))).rejects.toThrow()
  })

  it.each([
    ['loopback', ['127.0.0.1']],
    ['private', ['10.1.2.3']],
    ['link-local', ['fe80::1']],
    ['a metadata service', ['169.254.169.254']],
    ['v4-mapped', ['::ffff:127.0.0.1']],
    ['NAT64', ['64:ff9b::10.0.0.1']],
    ['one private and one public', ['8.8.8.8', '10.1.2.3']],
    ['nothing', []],
  ])('goes nowhere when the name resolves to what is %s', async (_, addresses) => {
    await expect(to(addresses)).rejects.toMatchObject({ code: 'address_not_public' })
  })

  it('goes nowhere over http, and asks for no address', async () => {
    await using receiver = await aReceiver((_, response) => response.end())
    const sent = receiver.post(`http://receiver.example:${receiver.port}/`)
    await expect(sent).rejects.toMatchObject({ code: 'address_not_public' })
    expect(receiver.asked).toEqual([])
  })

  it.each([
    'https://intranet/',
    'https://localhost./',
    'https://a.localhost/',
    'https://a.local/',
    'https://a.internal/',
  ])('goes nowhere for %s, a name that is never public, and asks for no address', async (url) => {
    const asked: string[] = []
    const send = publicHttpsSender({
      resolve: async (hostname) => {
        asked.push(hostname)
        return ['8.8.8.8']
      },
      admits: isPublicAddress,
    })
    const sent = send(new Request(url, { method: 'POST', body: 'hello' }))
    await expect(sent).rejects.toMatchObject({ code: 'address_not_public' })
    expect(asked).toEqual([])
  })

  it('does not follow a name that is bound to another address once it was admitted', async () => {
    await using receiver = await aReceiver((_, response) => response.end('the first one'))
    const answers = [['127.0.0.1'], ['10.1.2.3']]
    const send = publicHttpsSender({
      resolve: async () => answers.shift() ?? [],
      admits: (address) => address === '127.0.0.1',
      ca: httpsIdentity.cert,
    })
    const post = () => send(new Request(`https://receiver.example:${receiver.port}/`, { method: 'POST', body: '{}' }))
    expect(await (await post()).text()).toBe('the first one')
    await expect(post()).rejects.toMatchObject({ code: 'address_not_public' })
  })
})
