import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { NotesClient } from '@notewire/client'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { CLOSED_PORT } from '../fixtures/closed-port.ts'
import { jsonLines } from '../fixtures/json-lines.ts'
import { cleanUp } from '../fixtures/leftovers.ts'
import { mockService } from '../fixtures/mock-service.ts'
import { runNotewire, startInTerminal } from '../fixtures/run-notewire.ts'
import { temporaryFolder } from '../fixtures/temporary-folder.ts'
import { unwrapped } from '../fixtures/unwrapped.ts'

afterEach(cleanUp)

const ON_LINUX: { readonly skip: boolean; readonly meta: object } = {
  skip: process.platform !== 'linux',
  meta: { skippedBecause: 'only Linux has /dev/full' },
}

describe('a command that does not exist', () => {
  it.each([
    [['listn'], 'Did you mean listen?'],
    [['endpoints', 'crate'], 'Did you mean create?'],
    [['listen', '--prot', '1'], 'Did you mean --port?'],
    [['help', 'listn'], 'Did you mean listen?'],
    [['listn', '--help'], 'Did you mean listen?'],
    [['help', 'endpoints', 'crate'], 'Did you mean create?'],
    [['--jsn'], "unknown option '--jsn'"],
    [['endpoints', '--jsn'], 'Help: notewire endpoints --help'],
  ])('%j ends with 2 and suggests the most similar name', async (args, suggestion) => {
    const { exitCode, stdout, stderr } = await runNotewire(args)
    expect(exitCode).toBe(2)
    expect(stdout).toBe('')
    expect(unwrapped(stderr)).toContain(suggestion)
  })
})

describe('a wrong argument', () => {
  it.each([
    [['mock', '--port', '70000'], "argument '70000' is invalid. It takes a whole number from 0 to 65535."],
    [['mock', '--clock', 'moon'], "argument 'moon' is invalid. Allowed choices are real, virtual."],
    [['trigger', 'note.lost'], 'Allowed choices are note.ended,'],
    [['endpoints', 'create'], "missing required argument 'url'"],
    [['endpoints', 'create', 'ftp://x'], 'It takes an http or https URL.'],
    [['listen', '--forward-raw'], '--forward-raw needs --forward-to'],
  ])('%j ends with 2 and is explained', async (args, complaint) => {
    const { exitCode, stderr } = await runNotewire(args)
    expect(exitCode).toBe(2)
    expect(unwrapped(stderr)).toContain(complaint)
  })
})

describe('a secret that was typed in a wrong place', () => {
  it.each([
    [['pull', 'postgres://app:S3cret@db.example/notes']],
    [['pull', 'ntw_live_k7.S3cret']],
    [['verify', 'a', 'b', 'whsec_S3cretS3cret']],
    [['listen', '--forward-to', 'ftp://me:S3cret@localhost/hooks']],
    [['listen', '--forward-to', 'ftp://me:p@S3cret@localhost/hooks']],
    [['listen', '--apikey=ntw_live_k7.S3cret']],
    [['whsec_S3cret']],
  ])('is not repeated after %j', async (args) => {
    const { exitCode, stdout, stderr } = await runNotewire(args)
    expect(exitCode).toBe(2)
    expect(unwrapped(stdout + stderr)).not.toContain('S3cret')
  })
})

describe('an error of the client', () => {
  it.each([
    [['pull'], { NOTES_API_KEY: 'no_live_key.atall' }, 'Check that the API key is complete'],
    [['pull', '--notes-field', 'data'], {}, 'pass that name as the option notesField'],
    [['endpoints', 'test', 'whe_0'], {}, 'check the base URL'],
  ])('after %j names the next step', async (args, env, words) => {
    const mock = await mockService()
    const { stderr } = await runNotewire(args, {
      env: { ...mock.env, ...env },
      cwd: await temporaryFolder(),
    })
    expect(unwrapped(stderr)).toContain(words)
  })

  it('about a lost answer explains how to find out whether the endpoint exists', async () => {
    const server = createServer((request) => request.socket.destroy()).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { exitCode, stderr } = await createEndpointAt(`http://127.0.0.1:${port}`)
    expect(exitCode).toBe(5)
    expect(stderr).toContain(FIND_OUT)
  })

  it('about a service that was not reached does not say that the endpoint may exist', async () => {
    const { exitCode, stderr } = await createEndpointAt(CLOSED_PORT)
    expect(exitCode).toBe(5)
    expect(stderr).toContain('No program listens at this address')
    expect(stderr).not.toContain(FIND_OUT)
  })

  const FIND_OUT = 'List the endpoints and look for its URL: if the endpoint is there, rotate its secret'

  async function createEndpointAt(NOTES_BASE_URL: string) {
    const env = { NOTES_API_KEY: 'no_live_key.atall', NOTES_BASE_URL }
    const { exitCode, stderr } = await runNotewire(['endpoints', 'create', 'http://127.0.0.1:9/hook'], { env })
    return { exitCode, stderr: unwrapped(stderr) }
  }
})

describe('colour', () => {
  it.each([
    ['is not used in a pipe', {}, false],
    ['is used in a pipe with FORCE_COLOR', { FORCE_COLOR: '1' }, true],
    ['is not used in a pipe with FORCE_COLOR=0', { FORCE_COLOR: '0' }, false],
  ])('%s', async (_use, env, isColoured) => {
    const { stdout } = await runNotewire(['--help'], { env })
    expect(stdout.includes('\u001b[')).toBe(isColoured)
  })

  it.each([
    ['is used', { TERM: 'xterm' }, true],
    ['is not used with NO_COLOR', { TERM: 'xterm', NO_COLOR: '1' }, false],
    ['is not used if the terminal is dumb', { TERM: 'dumb' }, false],
  ])('in a terminal %s', async (_what, env, isColoured) => {
    const { stdout } = await startInTerminal(['--help'], { env }).ended
    expect(stdout).toContain('notewire')
    expect(stdout.includes('\u001b[')).toBe(isColoured)
  })
})

describe('with --json', () => {
  it.each([[['--help']], [['--version']], [['endpoints']]])('%j prints only JSON on stdout', async (args) => {
    const { exitCode, stdout, stderr } = await runNotewire([...args, '--json'])
    expect(exitCode).toBe(0)
    expect(stderr).toBe('')
    expect(Object.keys(JSON.parse(stdout))).toHaveLength(2)
  })

  it('an error is one line of JSON on stderr, and stdout is empty', async () => {
    const { exitCode, stdout, stderr } = await runNotewire(['listn', '--json'])
    expect(exitCode).toBe(2)
    expect(stdout).toBe('')
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'usage', exit_code: 2 })
  })

  it('a list of endpoints is one line of JSON for each', async () => {
    const { service, env } = await mockService()
    const client = new NotesClient({ baseUrl: service.baseUrl, apiKey: service.apiKey })
    for (const name of ['one', 'two']) {
      await client.webhookEndpoints.create({ url: `http://127.0.0.1:9/${name}`, events: ['note.ended'] })
    }
    const { stdout, stderr } = await runNotewire(['endpoints', 'list', '--json'], { env })
    expect(jsonLines(stdout).map(({ url }) => url)).toEqual(['http://127.0.0.1:9/one', 'http://127.0.0.1:9/two'])
    expect(stderr).toBe('')
  })
})

describe('completion', () => {
  it.each([
    ['bash', '/bin/bash'],
    ['zsh', '/bin/bash'],
  ])('of %s completes commands and options', async (shell, program) => {
    const { stdout } = await runNotewire(['completion', shell])
    const bash = stdout.replace(/^autoload.*$/gm, '')
    const completed = (...words: readonly string[]) => {
      const typed = words.map((word) => `"${word}"`).join(' ')
      const call = `COMP_WORDS=(notewire ${typed}); COMP_CWORD=${words.length}; _notewire notewire "${words.at(-1)}"; echo "\${COMPREPLY[@]}"`
      return spawnSync(program, ['-c', `${bash}\n${call}`], { encoding: 'utf8' }).stdout.trim()
    }
    expect(completed('pu')).toBe('pull')
    expect(completed('pull', '--fu')).toBe('--full-listing')
    expect(completed('endpoints', 'rot')).toBe('rotate')
  })

  it('of fish names commands and options', async () => {
    const { stdout } = await runNotewire(['completion', 'fish'])
    expect(stdout).toContain("-n __fish_use_subcommand -a pull -d 'copy your notes into SQLite, or update the copy'")
    expect(stdout).toContain("-n '__fish_seen_subcommand_from pull' -l full-listing")
  })
})

describe('api', () => {
  it('prints the body of the response, with the key of the settings', async () => {
    const { service, env } = await mockService({ notes: 3 })
    const { exitCode, stdout } = await runNotewire(['api', 'GET', '/v1/notes?limit=2'], { env })
    expect({ exitCode, notes: JSON.parse(stdout).notes }).toMatchObject({ exitCode: 0, notes: [{}, {}] })
    expect(service.requests).toHaveLength(1)
  })

  it.each([
    [['api', 'GET', '/v1/notes/none'], {}, 1],
    [['api', 'GET', '/v1/notes'], { NOTES_API_KEY: 'ntw_live_k.wrong' }, 4],
    [['api', 'GET', '/v1/notes'], { NOTES_BASE_URL: CLOSED_PORT }, 5],
    [['api', 'GET', '/notes'], {}, 2],
    [['api', 'PUT', '/v1/notes'], {}, 2],
  ])('%j ends with the exit code of the problem', async (args, changed, code) => {
    const { env } = await mockService()
    expect((await runNotewire(args, { env: { ...env, ...changed } })).exitCode).toBe(code)
  })
})

describe('an error', () => {
  it('shows its stack only with NOTEWIRE_DEBUG', async () => {
    const quiet = await runNotewire(['listn'])
    const loud = await runNotewire(['listn'], { env: { NOTEWIRE_DEBUG: '1' } })
    expect(quiet.stderr).not.toMatch(/^ +at /m)
    expect(loud.stderr).toMatch(/^ +at /m)
  })

  it('explains that the disk of stdout is full', ON_LINUX, () => {
    const main = join(import.meta.dirname, 'main.ts')
    const script = `"${process.execPath}" --conditions=@notewire/source "${main}" --help > /dev/full`
    const { status, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' })
    expect(status).toBe(1)
    expect(stderr).toContain('the disk is full')
  })
})
