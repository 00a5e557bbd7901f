import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { cleanUp } from '../fixtures/leftovers.ts'
import { mockService } from '../fixtures/mock-service.ts'
import { runNotewire } from '../fixtures/run-notewire.ts'
import { temporaryFolder } from '../fixtures/temporary-folder.ts'
import { unwrapped } from '../fixtures/unwrapped.ts'

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

function utf16(text: string, encoding: 'utf16le' | 'utf16be'): Buffer {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le')
  return encoding === 'utf16le' ? bytes : bytes.swap16()
}
