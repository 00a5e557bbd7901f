import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { cleanUp } from '../../fixtures/leftovers.ts'
import { mockService } from '../../fixtures/mock-service.ts'
import { type RunOptions, runNotewire, startInTerminal } from '../../fixtures/run-notewire.ts'
import { temporaryFolder } from '../../fixtures/temporary-folder.ts'
import { unwrapped } from '../../fixtures/unwrapped.ts'

afterEach(cleanUp)

const NOWHERE = 'http://127.0.0.1:9'

describe('a setting', () => {
  it('comes from the flag, else from the environment', async () => {
    const { env } = await mockService()
    const { NOTES_BASE_URL: right = '' } = env
    const cwd = await temporaryFolder()
    const code = async (args: readonly string[], url: string) =>
      (await list({ cwd, env: { ...env, NOTES_BASE_URL: url } }, args)).exitCode
    expect(await code(['--base-url', right], NOWHERE)).toBe(0)
    expect(await code([], right)).toBe(0)
    expect(await code([], NOWHERE)).toBe(5)
  })

  it.each([
    [
      'in the environment',
      { env: { NOTES_BASE_URL: 'notes' } },
      'NOTES_BASE_URL is "notes". It takes an http or https URL.',
    ],
    ['nowhere', {}, 'Pass --base-url <url>, or set NOTES_BASE_URL in the environment or in .env.'],
  ])('that is wrong or missing %s ends with 3, and the error names the place', async (_place, options, complaint) => {
    const { exitCode, stderr } = await list({ cwd: await temporaryFolder(), ...options })
    expect(exitCode).toBe(3)
    expect(stderr).toContain(complaint)
  })
})

describe('the file .env of the working folder', () => {
  it('is read after flags and the environment', async () => {
    const { env } = await mockService()
    const cwd = await temporaryFolder()
    await writeFile(
      join(cwd, '.env'),
      `NOTES_BASE_URL="${env['NOTES_BASE_URL']}"\nNOTES_API_KEY=${env['NOTES_API_KEY']}\n`,
    )
    expect((await list({ cwd })).exitCode).toBe(0)
    expect((await list({ cwd, env: { NOTES_BASE_URL: NOWHERE } })).exitCode).toBe(5)
    const otherKey = { ...env, NOTES_API_KEY: 'ntw_live_k7.hush-hush' }
    expect((await list({ cwd, env: otherKey })).exitCode).toBe(4)
    expect((await list({ cwd, env: { NOTES_API_KEY: '' } })).exitCode).toBe(3)
  })

  it('does not override a secret file that the environment names', async () => {
    const { env } = await mockService()
    const { NOTES_API_KEY: key = '', ...base } = env
    const cwd = await temporaryFolder()
    await writeFile(join(cwd, '.env'), 'NOTES_API_KEY=ntw_live_k7.hush-hush\n')
    await writeFile(join(cwd, 'key'), key, { mode: 0o600 })
    expect((await list({ cwd, env: { ...base, NOTES_API_KEY_FILE: 'key' } })).exitCode).toBe(0)
  })

  it('is named by an error about its values, which does not show its secrets', async () => {
    const cwd = await temporaryFolder()
    await writeFile(join(cwd, '.env'), 'NOTES_BASE_URL=notes\nNOTES_API_KEY=ntw_live_k7.hush-hush\n')
    const { exitCode, stdout, stderr } = await runNotewire(['endpoints', 'list'], { cwd })
    expect(exitCode).toBe(3)
    expect(stderr).toContain('NOTES_BASE_URL in .env is "notes". It takes an http or https URL.')
    expect(stdout + stderr).not.toContain('hush')
  })

  it('is ignored if it is a folder', async () => {
    const { env } = await mockService()
    const cwd = await temporaryFolder()
    await mkdir(join(cwd, '.env'))
    expect((await list({ cwd, env })).exitCode).toBe(0)
    expect((await list({ cwd })).stderr).toContain('setting_missing')
  })

  it('is mentioned by the help', async () => {
    expect((await runNotewire(['--help'])).stdout).toMatch(
      /Settings come from flags, else the environment,\s+else the file \.env/,
    )
  })
})

describe('a secret', () => {
  it.each([
    ['--api-key', 'ntw_live_k7.hush-hush'],
    ['--api-key=ntw_live_k7.hush-hush'],
    ['--secret', 'whsec_hush-hush'],
    ['--signing-secret=whsec_hush-hush'],
  ])('typed as a flag (%s) is rejected with the reason, and not quoted', async (...flag) => {
    const { exitCode, stdout, stderr } = await runNotewire(['endpoints', 'list', ...flag])
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/history\s+of\s+the\s+shell/)
    expect(stdout + stderr).not.toContain('hush')
  })

  it('typed as another value is not quoted', async () => {
    const { stderr } = await runNotewire(['mock', '--port', 'ntw_live_k7.hush-hush'])
    expect(stderr).toContain('[secret]')
    expect(stderr).not.toContain('hush')
  })

  it('in a file that others can read is used, with a warning', async () => {
    const { env } = await mockService()
    const { NOTES_API_KEY: key = '', ...base } = env
    const cwd = await temporaryFolder()
    await writeFile(join(cwd, 'key'), key)
    await chmod(join(cwd, 'key'), 0o644)
    const { exitCode, stderr } = await list({ cwd, env: base }, ['--api-key-file', 'key'])
    expect(exitCode).toBe(0)
    expect(stderr).toContain('chmod 600 key')
  })

  it.each([
    ['is empty', ''],
    ['contains several words', 'one two'],
  ])('in a file that %s ends with 3', async (_fault, content) => {
    const cwd = await temporaryFolder()
    await writeFile(join(cwd, 'key'), content, { mode: 0o600 })
    const { exitCode, stderr } = await list({ cwd, env: { NOTES_BASE_URL: NOWHERE } }, ['--api-key-file', 'key'])
    expect(exitCode).toBe(3)
    expect(stderr).toContain('the file key, named by --api-key-file,')
  })

  it('in a URL is rejected, and not shown', async () => {
    const url = 'http://me:hush-hush@127.0.0.1:9'
    const flag = await runNotewire(['endpoints', 'create', url])
    const setting = await list({ cwd: await temporaryFolder(), env: { NOTES_BASE_URL: url } })
    expect(flag.exitCode).toBe(2)
    expect(setting.exitCode).toBe(3)
    expect(flag.stderr + setting.stderr).toContain('URL without credentials')
    expect(flag.stderr + setting.stderr).not.toContain('hush')
  })

  it('that is missing is an error without a terminal', async () => {
    const { exitCode, stderr } = await list({ cwd: await temporaryFolder(), env: { NOTES_BASE_URL: NOWHERE } })
    expect(exitCode).toBe(3)
    expect(stderr).toContain('Set NOTES_API_KEY')
  })

  it('typed at the prompt of a terminal is used, and not shown', async () => {
    const { service, env } = await mockService()
    const { NOTES_API_KEY: key = '', ...base } = env
    const running = startInTerminal(['endpoints', 'list'], {
      cwd: await temporaryFolder(),
      env: { ...base, TERM: 'xterm' },
    })
    await running.saw(/What is the API key/)
    running.type(`${key}\r`)
    const { exitCode, stdout } = await running.ended
    expect(stdout).toContain('There is no endpoint')
    expect(exitCode).toBe(0)
    expect(stdout).not.toContain(key.slice(-12))
    expect(service.requests.map(({ status }) => status)).toEqual([200])
  })
})

async function list(options: RunOptions, args: readonly string[] = []) {
  const { exitCode, stderr } = await runNotewire(['endpoints', 'list', ...args], options)
  return { exitCode, stderr: unwrapped(stderr) }
}
