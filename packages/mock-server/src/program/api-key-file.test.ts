import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startMockServer } from './start-mock-server.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'notewire-key-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

function start(apiKeyFile: string | undefined, owners = 1) {
  return startMockServer({ port: 0, host: '127.0.0.1', consoleHosts: [], apiKeyFile, service: { owners } })
}

describe('the file of the API key', () => {
  it('is created with a random key that only the owner can read, and is used at the next start', async () => {
    const path = join(folder, 'key')
    await using first = await start(path)
    const key = await readFile(path, 'utf8')
    expect(key).toMatch(/^ntw_live_\w{12}\.\w{32}\n$/)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    await using second = await start(path, 2)
    expect([first.record.api_key, second.record.api_key]).toEqual([key.trim(), key.trim()])
    const headers = { authorization: `Bearer ${key.trim()}` }
    expect((await fetch(`${second.record.base_url}/v1/notes`, { headers })).status).toBe(200)
    expect(second.text).toContain(`in ${path}`)
    expect(second.text).not.toContain(key.trim())
    expect(second.record.accounts?.[1]?.api_key).not.toBe(key.trim())
  })

  it.each(['utf16le', 'utf8'] as const)('is read in %s with a byte order mark', async (encoding) => {
    const path = join(folder, 'key')
    await writeFile(path, Buffer.from('\ufeffacme_live_k7.s3cret\r\n', encoding), { mode: 0o600 })
    await using server = await start(path)
    expect(server.record.api_key).toBe('acme_live_k7.s3cret')
  })

  it('that others can read leads to a notice', async () => {
    const path = join(folder, 'key')
    await writeFile(path, 'acme_live_k7.s3cret')
    await chmod(path, 0o644)
    await using server = await start(path)
    expect(server.record.api_key).toBe('acme_live_k7.s3cret')
    expect(server.notices[0]).toMatch(/Others can read .* \(mode 644\)/)
  })

  it.each([
    ['contains something else', (path: string) => writeFile(path, 'password')],
    ['is in no folder', (path: string) => rm(join(path, '..'), { recursive: true })],
  ])('is rejected if it %s, without its content', async (_what, prepare) => {
    const path = join(folder, 'key')
    await prepare(path)
    const error = await start(path).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'arguments_invalid', message: expect.stringContaining(path) })
    expect(String(error)).not.toContain('password')
  })
})
