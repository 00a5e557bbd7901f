import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { cleanUp, leave } from '../../fixtures/leftovers.ts'
import { mockService } from '../../fixtures/mock-service.ts'
import { runNotewire, startNotewire } from '../../fixtures/run-notewire.ts'
import { aSecret } from '../../fixtures/secrets.ts'
import { temporaryFolder } from '../../fixtures/temporary-folder.ts'
import { unwrapped } from '../../fixtures/unwrapped.ts'

afterEach(cleanUp)

const list = async (options: object, args: readonly string[] = []) => {
  const { exitCode, stderr } = await runNotewire(['endpoints', 'list', ...args], options)
  return { exitCode, stderr: unwrapped(stderr) }
}

describe.each(['utf16le', 'utf16be'] as const)('a file in %s with a byte order mark', (encoding) => {
  it('is read as .env, and as the file of a key', async () => {
    const { env } = await mockService()
    const cwd = await temporaryFolder()
    const { NOTES_BASE_URL, NOTES_API_KEY = '' } = env
    await writeFile(join(cwd, 'key'), utf16(`${NOTES_API_KEY}\r\n`, encoding), { mode: 0o600 })
    const ofFile = { NOTES_BASE_URL, NOTES_API_KEY_FILE: 'key' }
    expect(await list({ cwd, env: ofFile })).toMatchObject({ exitCode: 0 })
    await writeFile(
      join(cwd, '.env'),
      utf16(`NOTES_BASE_URL=${NOTES_BASE_URL}\r\nNOTES_API_KEY=${NOTES_API_KEY}\r\n`, encoding),
    )
    expect(await list({ cwd })).toMatchObject({ exitCode: 0 })
  })
})

it.each(['.env', 'key'])('a file in UTF-16 without a byte order mark is refused with what to do: %s', async (name) => {
  const cwd = await temporaryFolder()
  await writeFile(join(cwd, name), Buffer.from('NOTES_API_KEY=k', 'utf16le'), { mode: 0o600 })
  const env = { NOTES_BASE_URL: 'http://127.0.0.1:2', ...(name === 'key' && { NOTES_API_KEY_FILE: name }) }
  const { exitCode, stderr } = await list({ cwd, env })
  expect(exitCode).toBe(3)
  expect(stderr).toMatch(/cannot be read: it is not text in UTF-8. Save it as UTF-8\./)
})

describe('an error of the connection', () => {
  const NOWHERE = 'http://127.0.0.1:6667'

  it('names the source of the URL', async () => {
    const cwd = await temporaryFolder()
    const key = { NOTES_API_KEY: 'ntw_live_k7.hush-hush' }
    const byEnvironment = await list({ cwd, env: { ...key, NOTES_BASE_URL: 'http://notes.example' } })
    expect(byEnvironment.stderr).toMatch(/NOTES_BASE_URL starts with http:\/\//)
    const byFlag = await list({ cwd, env: key }, ['--base-url', 'http://notes.example'])
    expect(byFlag.stderr).toMatch(/--base-url starts with http:\/\//)
    await writeFile(join(cwd, '.env'), `NOTES_BASE_URL=http://127.0.0.1:9\nNOTES_API_KEY=${key.NOTES_API_KEY}\n`)
    expect((await list({ cwd })).stderr).not.toContain('the option baseUrl')
  })

  it('says that fetch blocks a port', async () => {
    const cwd = await temporaryFolder()
    const env = { NOTES_BASE_URL: NOWHERE, NOTES_API_KEY: 'ntw_live_k7.hush-hush' }
    expect((await list({ cwd, env })).stderr).toMatch(/fetch sends no request to this port/)
    const trigger = await runNotewire(['trigger', 'note.ended', '--base-url', NOWHERE], { cwd, env })
    expect(unwrapped(trigger.stderr)).toMatch(/fetch sends no request to port 6667/)
    expect(unwrapped(trigger.stderr)).not.toContain('there is no mock server')
    const api = await runNotewire(['api', 'GET', '/v1/notes'], { cwd, env })
    expect(unwrapped(api.stderr)).toMatch(/fetch sends no request to this port/)
  })
})

describe('a proxy', () => {
  const KEY = { NOTES_API_KEY: 'ntw_live_k7.hush-hush', NOTES_BASE_URL: 'http://127.0.0.1:2' }
  const run = async (args: readonly string[], proxy: string, more: object = {}) => {
    const env = { ...KEY, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy, HTTPS_PROXY: proxy, ...more }
    const { exitCode, stderr } = await runNotewire(args, { cwd: await temporaryFolder(), env })
    return { exitCode, stderr: unwrapped(stderr) }
  }

  it.each([
    ['api', ['api', 'GET', '/v1/notes']],
    ['trigger', ['trigger', 'note.ended']],
    ['endpoints', ['endpoints', 'list']],
    ['pull', ['pull']],
  ])('that is down is named, and not the service: %s', async (_, args) => {
    const { exitCode, stderr } = await run(args, 'http://user:s3cret@127.0.0.1:9')
    expect(exitCode).toBe(5)
    expect(stderr).toMatch(/127\.0\.0\.1:9.*proxy|proxy 127\.0\.0\.1:9/)
    expect(stderr).toMatch(/HTTPS_PROXY.*NO_PROXY/)
    expect(stderr).not.toMatch(/listens|there is no mock server|s3cret/)
  })

  it('that is down is named when the doctor reads the effects', async () => {
    const secret = { NOTES_SIGNING_SECRET: aSecret }
    const args = ['doctor', 'http://127.0.0.1:2', '--effects-url', 'http://127.0.0.1:2/effects']
    expect((await run(args, 'http://127.0.0.1:9', secret)).stderr).toMatch(/the proxy 127\.0\.0\.1:9 was not reached/)
  })

  it('that is down is named when listen forwards', async () => {
    const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1' }
    const args = ['listen', '--forward-to', 'http://127.0.0.2:2/hooks', '--base-url', 'http://127.0.0.1:0']
    const { saw } = startNotewire(args, { cwd: await temporaryFolder(), env })
    await saw(
      /not forwarded: the proxy 127\.0\.0\.1:9 was not reached[\s\S]*Add the host of\s+--forward-to\s+to\s+NO_PROXY/,
    )
  })

  it.each([
    ['api', ['api', 'GET', '/v1/notes']],
    ['trigger', ['trigger', 'note.ended']],
  ])('that refuses the request is named: %s', async (_, args) => {
    const proxy = createServer().on('connect', (_request, socket) => socket.end('HTTP/1.1 407 No\r\n\r\n'))
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    leave(() => void proxy.close())
    const { port } = proxy.address() as AddressInfo
    expect((await run(args, `http://127.0.0.1:${port}`)).stderr).toMatch(/a proxy refused the connection.*NO_PROXY/)
  })
})

function utf16(text: string, encoding: 'utf16le' | 'utf16be'): Buffer {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le')
  return encoding === 'utf16le' ? bytes : bytes.swap16()
}
