import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { CLOSED_PORT } from '../../fixtures/closed-port.ts'
import { cleanUp } from '../../fixtures/leftovers.ts'
import { mockService } from '../../fixtures/mock-service.ts'
import { runNotewire, startInTerminal } from '../../fixtures/run-notewire.ts'
import { temporaryFolder } from '../../fixtures/temporary-folder.ts'

afterEach(cleanUp)

const UNREACHABLE = 'http://127.0.0.1:9/hook'

describe('endpoints create', () => {
  it('prints the signing secret once, on stdout, and a warning on stderr', async () => {
    const { env } = await mockService()
    const { exitCode, stdout, stderr } = await runNotewire(['endpoints', 'create', UNREACHABLE], { env })
    expect(exitCode).toBe(0)
    expect(stdout.match(/whsec_\S+/g)).toHaveLength(1)
    expect(stderr).toMatch(/^warning {2}The service shows the secret only this once/)
    expect(stderr).not.toContain('whsec_')
  })

  it('with --secret-out writes the secret to a file with mode 600, and does not print it', async () => {
    const { env } = await mockService()
    const cwd = await temporaryFolder()
    const args = ['endpoints', 'create', UNREACHABLE, '--secret-out', 'secret', '--json']
    const { exitCode, stdout, stderr } = await runNotewire(args, { env, cwd })
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ url: UNREACHABLE, secret_file: 'secret' })
    expect(stdout + stderr).not.toContain('whsec_')
    expect(await readFile(join(cwd, 'secret'), 'utf8')).toMatch(/^whsec_\S+\n$/)
    expect((await stat(join(cwd, 'secret'))).mode & 0o777).toBe(0o600)
    expect(await readdir(cwd)).toEqual(['secret'])
  })

  it('does not call the service if the file exists', async () => {
    const { service, env } = await mockService()
    const cwd = await temporaryFolder()
    await writeFile(join(cwd, 'secret'), 'another one')
    const { exitCode } = await runNotewire(['endpoints', 'create', UNREACHABLE, '--secret-out', 'secret'], { env, cwd })
    expect(exitCode).toBe(2)
    expect(await readFile(join(cwd, 'secret'), 'utf8')).toBe('another one')
    expect(service.requests).toEqual([])
  })

  it('does not call the service if the folder cannot be written', async () => {
    const { service, env } = await mockService()
    const folder = await readOnlyFolder()
    const args = ['endpoints', 'create', UNREACHABLE, '--secret-out', join(folder, 'secret')]
    const { exitCode, stderr } = await runNotewire(args, { env })
    expect(exitCode).toBe(1)
    expect(stderr).toContain(folder)
    expect(service.requests).toEqual([])
  })

  it('leaves no file when the service rejects the request', async () => {
    const { service, env } = await mockService()
    const cwd = await temporaryFolder()
    const keyless = service.owner.createIntegration({}).issueKey({ scopes: ['notes:read'] }).key
    const args = ['endpoints', 'create', UNREACHABLE, '--secret-out', 'secret']
    const { exitCode, stderr } = await runNotewire(args, { cwd, env: { ...env, NOTES_API_KEY: keyless } })
    expect(exitCode).toBe(4)
    expect(stderr).toContain('webhooks:manage')
    expect(await readdir(cwd)).toEqual([])
  })

  it('with --wait, gives up when the receiver does not answer', async () => {
    const { env } = await mockService()
    const args = ['endpoints', 'create', UNREACHABLE, '--wait', '--timeout', '200ms']
    const { exitCode, stderr } = await runNotewire(args, { env })
    expect(exitCode).toBe(1)
    expect(stderr).toContain('endpoint_not_active')
  })
})

describe('endpoints create, without --wait', () => {
  it('says when the next verification is sent, and how to request one now', async () => {
    const { env } = await mockService()
    const { stdout, stderr } = await runNotewire(['endpoints', 'create', UNREACHABLE], { env })
    const shown = stderr.replace(/\s+/g, ' ')
    expect(shown).toContain('sends it again 30 s later, then 5 min later')
    const [, id] = /notewire endpoints update (\S+) --verify/.exec(shown) ?? []
    expect(stdout).toContain(id)
  })
})

describe('endpoints update', () => {
  it('with --verify has the URL verified again', async () => {
    const { service, env } = await mockService()
    const id = await createdEndpoint(env)
    const verifications = () => service.deliveries.filter(({ event_type }) => event_type === 'endpoint.verification')
    expect(verifications()).toHaveLength(1)
    const { exitCode, stderr } = await runNotewire(['endpoints', 'update', id, '--verify'], { env })
    expect(exitCode).toBe(0)
    expect(stderr).toContain('endpoint.verification')
    expect(verifications()).toHaveLength(2)
  })

  it('changes the URL and the events, and activates the endpoint', async () => {
    const { env } = await mockService()
    const id = await createdEndpoint(env)
    const args = ['--url', 'http://127.0.0.1:9/other', '--event', 'note.ended', '--json']
    const { stdout } = await runNotewire(['endpoints', 'update', id, ...args], { env })
    expect(JSON.parse(stdout)).toMatchObject({ url: 'http://127.0.0.1:9/other', events: ['note.ended'] })
    expect((await runNotewire(['endpoints', 'update', id, '--activate'], { env })).exitCode).toBe(0)
  })

  it('needs something to change', async () => {
    const { env } = await mockService()
    const { exitCode, stderr } = await runNotewire(['endpoints', 'update', 'whe_1'], { env })
    expect(exitCode).toBe(2)
    expect(stderr).toContain('--verify')
  })

  it('of an unknown endpoint ends with 1', async () => {
    const { env } = await mockService()
    const { exitCode, stderr } = await runNotewire(['endpoints', 'update', 'whe_1', '--verify'], { env })
    expect(exitCode).toBe(1)
    expect(stderr).toContain('[not_found]')
  })
})

describe('a failed request', () => {
  it('with a wrong key ends with 4, and does not show the key', async () => {
    const { env } = await mockService()
    const { exitCode, stdout, stderr } = await runNotewire(['endpoints', 'list'], {
      env: { ...env, NOTES_API_KEY: 'ntw_live_k7.hush-hush' },
    })
    expect(exitCode).toBe(4)
    expect(stderr).toContain('[unauthorized]')
    expect(stdout + stderr).not.toContain('hush')
  })

  it('to a URL at which nothing listens ends with 5', async () => {
    const env = { NOTES_BASE_URL: CLOSED_PORT, NOTES_API_KEY: 'ntw_live_k7.hush-hush' }
    const { exitCode, stderr } = await runNotewire(['endpoints', 'list'], { env })
    expect(exitCode).toBe(5)
    expect(stderr).toContain('[network_error]')
  })
})

describe('endpoints rotate', () => {
  it('replaces the secret in a file', async () => {
    const { env } = await mockService()
    const cwd = await temporaryFolder()
    const id = await createdEndpoint(env)
    await writeFile(join(cwd, 'secret'), 'the old one')
    const { exitCode } = await runNotewire(['endpoints', 'rotate', id, '--secret-out', 'secret'], { env, cwd })
    expect(exitCode).toBe(0)
    expect(await readFile(join(cwd, 'secret'), 'utf8')).toMatch(/^whsec_/)
    expect((await stat(join(cwd, 'secret'))).mode & 0o777).toBe(0o600)
  })
})

describe('endpoints test', () => {
  it('has the service send endpoint.test', async () => {
    const { service, env } = await mockService({ contract: { whileInactive: 'queued' } })
    const id = await createdEndpoint(env)
    expect((await runNotewire(['endpoints', 'test', id], { env })).exitCode).toBe(0)
    expect(service.deliveries.map(({ event_type }) => event_type)).toContain('endpoint.test')
  })
})

describe('endpoints delete', () => {
  it('asks at a terminal, and deletes nothing unless the answer is yes', async () => {
    const { env } = await mockService()
    const id = await createdEndpoint(env)
    const asked = startInTerminal(['endpoints', 'delete', id], { env: { ...env, TERM: 'xterm' } })
    await asked.saw(/Delete whe_/)
    asked.type('n')
    expect((await asked.ended).exitCode).toBe(1)
    expect(await endpointIds(env)).toEqual([id])

    const again = startInTerminal(['endpoints', 'delete', id], { env: { ...env, TERM: 'xterm' } })
    await again.saw(/Delete whe_/)
    again.type('y')
    expect((await again.ended).exitCode).toBe(0)
    expect(await endpointIds(env)).toEqual([])
  })

  it('needs --yes when it does not run in a terminal', async () => {
    const { env } = await mockService()
    const id = await createdEndpoint(env)
    expect((await runNotewire(['endpoints', 'delete', id], { env })).exitCode).toBe(2)
    expect((await runNotewire(['endpoints', 'delete', id, '--yes'], { env })).exitCode).toBe(0)
    expect(await endpointIds(env)).toEqual([])
  })
})

type Environment = Readonly<Record<string, string>>

async function createdEndpoint(env: Environment): Promise<string> {
  const { stdout } = await runNotewire(['endpoints', 'create', UNREACHABLE, '--json'], { env })
  return JSON.parse(stdout).endpoint_id
}

async function endpointIds(env: Environment): Promise<readonly string[]> {
  const { stdout } = await runNotewire(['endpoints', 'list', '--json'], { env })
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).endpoint_id]))
}

/** A folder in which no file can be created: for root, /proc. */
async function readOnlyFolder(): Promise<string> {
  if (process.getuid?.() === 0) return '/proc'
  const folder = await temporaryFolder()
  await chmod(folder, 0o555)
  return folder
}
