import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttp2Server, createSecureServer } from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { errorOf } from '../../fixtures/error-of.ts'
import { TLS_OF_LOCALHOST as TLS } from '../../fixtures/tls-of-localhost.ts'
import { nodeFetch } from '../node-fetch.ts'
import { NotesClient } from '../notes-client.ts'
import type { NotesClientOptions } from '../options/notes-client-options.ts'

const FETCHES: readonly (readonly [string, NotesClientOptions['fetch']])[] = [
  ['the global fetch', undefined],
  ['nodeFetch', nodeFetch],
]

describe.each(FETCHES)('the error of a call with %s', (_, fetch) => {
  const messageFrom = async (baseUrl: string) => {
    const client = new NotesClient({ baseUrl, apiKey: 'ntw_live_k7.s3cret', maxRetries: 0, fetch })
    return String(await errorOf(client.notes.get('n1')))
  }

  it('says that a port is not for https', async () => {
    for (const server of [createHttpServer(), createServer((socket) => socket.write('SSH-2.0-OpenSSH_9.7\r\n'))]) {
      const message = await messageFrom(`https://127.0.0.1:${await portOf(server)}`)
      expect(message).toMatch(/does not speak TLS at this port.*http:\/\//)
      expect(message).not.toContain('certificate')
    }
  })

  it('says that a server accepts HTTP/2 only', async () => {
    const message = await messageFrom(`http://127.0.0.1:${await portOf(createHttp2Server())}`)
    expect(message).toMatch(/HTTP\/1\.1.*HTTP\/2/)
  })

  const unlessChecked = {
    skip: fetch === nodeFetch,
    meta: { skippedBecause: '`nodeFetch` checks the certificate first' },
  }

  it('says that a server accepts HTTP/2 over TLS only', unlessChecked, async () => {
    const message = await messageFrom(`https://127.0.0.1:${await portOf(createSecureServer(TLS))}`)
    expect(message).toMatch(/HTTP\/1\.1.*HTTP\/2/)
    expect(message).not.toContain('certificate')
  })

  it('says that a port may be for https', async () => {
    const message = await messageFrom(`http://127.0.0.1:${await portOf(createHttpsServer(TLS))}`)
    expect(message).toMatch(/closed the connection.*https:\/\//)
  })

  it('names NODE_EXTRA_CA_CERTS if the issuer of the certificate is unknown', async () => {
    const message = await messageFrom(`https://127.0.0.1:${await portOf(createHttpsServer(TLS))}`)
    expect(message).toMatch(/issued.*NODE_EXTRA_CA_CERTS.*not in \.env/)
  })
})

describe('the error of a call', () => {
  const messageOf = async (baseUrl: string, thrown: unknown) => {
    const fetch = () => Promise.reject(thrown)
    const client = new NotesClient({ baseUrl, apiKey: 'ntw_live_k7.s3cret', maxRetries: 0, fetch })
    return String(await errorOf(client.notes.get('n1')))
  }

  it.each([1, 22, 6000, 6667, 10_080])('says that fetch blocks the port %i', async (port) => {
    const client = new NotesClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'k', maxRetries: 0 })
    expect(String(await errorOf(client.notes.get('n1')))).toMatch(
      new RegExp(`:${port} failed.*fetch sends no request to this port.*another port`),
    )
  })

  it.each([
    ['CERT_HAS_EXPIRED', /expired.*clock/],
    ['CERT_NOT_YET_VALID', /not valid yet.*clock/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /for another host name/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /NODE_EXTRA_CA_CERTS/],
    ['SELF_SIGNED_CERT_IN_CHAIN', /NODE_EXTRA_CA_CERTS/],
    ['CERT_REVOKED', /certificate of the host was not accepted/],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', /TLS handshake failed/],
    ['ENOTFOUND', /name of the host was not found.*HTTPS_PROXY.*NODE_USE_ENV_PROXY=1/],
    ['ENETUNREACH', /HTTPS_PROXY.*NODE_USE_ENV_PROXY=1/],
    ['UND_ERR_CONNECT_TIMEOUT', /HTTPS_PROXY.*NODE_USE_ENV_PROXY=1/],
  ])('explains %s', async (code, explanation) => {
    expect(await messageOf('https://notes.example', Object.assign(new Error('x'), { code }))).toMatch(explanation)
  })

  it('does not speak of a proxy if the service is on this machine', async () => {
    const error = Object.assign(new Error('x'), { code: 'ECONNREFUSED', address: '127.0.0.1', port: 4010 })
    expect(await messageOf('http://localhost:4010', error)).toMatch(/No program listens at this address(?!.*proxy)/i)
  })

  it('does not say that an endpoint may exist if no connection was made', async () => {
    const fetch = () => Promise.reject(Object.assign(new Error('x'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }))
    const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: 'k', maxRetries: 0, fetch })
    const message = String(await errorOf(client.webhookEndpoints.create({ url: 'https://a.example', events: [] })))
    expect(message).toContain('NODE_EXTRA_CA_CERTS')
    expect(message).not.toContain('may have created')
  })

  it('names the option that was set, or the variable', async () => {
    const error = Object.assign(new Error('x'), { code: 'ECONNREFUSED' })
    expect(await messageOf('https://notes.example', error)).toContain('comes from the option baseUrl,')
    process.env['NOTES_BASE_URL'] = 'https://notes.example'
    onTestFinished(() => void delete process.env['NOTES_BASE_URL'])
    expect(await messageOf('https://notes.example', error)).toContain('which is also NOTES_BASE_URL in the environment')
  })
})

describe.each(['HTTPS_PROXY', 'https_proxy'])('a proxy in %s', (variable) => {
  const script = `
    import { NotesClient } from '@notewire/client'
    const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: 'k', maxRetries: 0 })
    await client.notes.get('n1').catch((error) => console.log(String(error)))`

  const messageBehind = async (proxy: string) => {
    const env = { PATH: process.env['PATH'], NODE_USE_ENV_PROXY: '1', [variable]: proxy }
    const args = ['--conditions=@notewire/source', '--input-type=module', '-e', script]
    return (await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname, env })).stdout
  }

  it('that is down is named, and not the service', async () => {
    const port = await closedPort()
    const message = await messageBehind(`http://user:s3cret@127.0.0.1:${port}`)
    expect(message).toMatch(new RegExp(`127\\.0\\.0\\.1:${port}.*proxy.*HTTPS_PROXY`))
    expect(message).not.toMatch(/No program listens at this address|s3cret/)
  })

  it('that has no such name is named, and not the service', async () => {
    const message = await messageBehind('http://proxy.invalid:3128')
    expect(message).toMatch(/proxy\.invalid.*proxy.*HTTPS_PROXY/)
  })

  it('that refuses the request is named', async () => {
    const server = createHttpServer().on('connect', (_, socket) =>
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'),
    )
    expect(await messageBehind(`http://127.0.0.1:${await portOf(server)}`)).toMatch(
      /proxy refused.*HTTPS_PROXY.*add the host to NO_PROXY/,
    )
  })
})

async function portOf(server: Server): Promise<number> {
  server.on('connection', (socket) => socket.on('error', () => undefined)).on('error', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** The client's port of a connection: nothing listens on it, and no other process can use it. */
async function closedPort(): Promise<number> {
  const server = createServer()
  const socket = connect(await portOf(server), '127.0.0.1')
  await once(socket, 'connect')
  onTestFinished(() => void socket.destroy())
  return socket.localPort ?? 0
}
