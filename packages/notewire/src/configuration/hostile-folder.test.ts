import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { sqliteMirror } from '@notewire/mirror/sqlite'
import type { NotesService } from '@notewire/mock-server'
import { afterEach, describe, expect, it } from 'vitest'
import { cleanUp, leave } from '../../fixtures/leftovers.ts'
import { mockService } from '../../fixtures/mock-service.ts'
import { prepared } from '../../fixtures/prepared.ts'
import { type RunOptions, runNotewire } from '../../fixtures/run-notewire.ts'
import { temporaryFolder } from '../../fixtures/temporary-folder.ts'
import { unwrapped } from '../../fixtures/unwrapped.ts'

afterEach(cleanUp)

/** A user who has a key outside the folder, and a folder that names the URL of a service. */
interface Scene {
  readonly cwd: string
  readonly url: string
  readonly key: string
  readonly service: NotesService
}

type Prepare = (scene: Scene) => Promise<{
  readonly env?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
}>

const elsewhere: Prepare = async ({ key }) => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'key'), key, { mode: 0o600 })
  return { env: { NOTES_API_KEY_FILE: join(folder, 'key') } }
}
const inShell: Prepare = async ({ key }) => ({ env: { NOTES_API_KEY: key } })
const inEnvFile: Prepare = async ({ cwd, key }) => {
  await writeFile(join(cwd, '.env'), `NOTES_API_KEY=${key}\n`, { flag: 'a' })
  return {}
}
const urlInEnvFile: Prepare = async ({ cwd, url }) => {
  await writeFile(join(cwd, '.env'), `NOTES_BASE_URL=${url}\n`, { flag: 'a' })
  return {}
}
const urlInShell: Prepare = async ({ url }) => ({ env: { NOTES_BASE_URL: url } })
const urlAsFlag: Prepare = async ({ url }) => ({ args: ['--base-url', url] })
const keyFileAsFlag: Prepare = async (scene) => {
  const { env } = await elsewhere(scene)
  return { args: ['--api-key-file', env?.['NOTES_API_KEY_FILE'] ?? ''] }
}
const keyFileInFolder: Prepare = async ({ cwd, key }) => {
  await writeFile(join(cwd, 'key'), key, { mode: 0o600 })
  await writeFile(join(cwd, '.env'), 'NOTES_API_KEY_FILE=key\n', { flag: 'a' })
  return {}
}
describe('an API key is not sent to a URL that the working folder names, if it comes from elsewhere', () => {
  it.each<[string, Prepare, Prepare]>([
    ['.env names the URL, the environment has the key', urlInEnvFile, inShell],
    ['.env names the URL, the environment names a file', urlInEnvFile, elsewhere],
  ])('%s', async (_pair, url, key) => {
    const { code, stderr, requests } = await run(url, key)
    expect(requests).toBe(0)
    expect(code).toBe(3)
    expect(stderr).toContain('key_withheld')
    expect(stderr).toMatch(/pass --base-url http:\S+/)
  })
})

describe('an API key is sent to the URL', () => {
  it.each<[string, Prepare, Prepare]>([
    ['of a flag', urlAsFlag, inShell],
    ['of the environment', urlInShell, inShell],
    ['of .env, if .env has the key', urlInEnvFile, inEnvFile],
    ['of .env, if .env names a file of the folder with the key', urlInEnvFile, keyFileInFolder],
    ['of the environment, if .env has the key', urlInShell, inEnvFile],
    ['of .env, if a flag names the file with the key', urlInEnvFile, keyFileAsFlag],
  ])('%s', async (_pair, url, key) => {
    expect(await run(url, key)).toMatchObject({ code: 0, requests: 1 })
  })

  it('of .env, with the key of .env, if the environment has another key', async () => {
    const { code, stderr, requests } = await run(urlInEnvFile, inEnvFile, {
      env: { NOTES_API_KEY: 'ntw_live_k7.hush-hush' },
    })
    expect({ code, requests }).toEqual({ code: 0, requests: 1 })
    expect(stderr).toContain('NOTES_API_KEY is not used')
    expect(stderr).not.toContain('hush')
  })
})

describe('a file with a secret', () => {
  it.each<[string, (scene: Scene, outside: string) => Promise<string>]>([
    ['an absolute path outside', async (_scene, outside) => join(outside, 'key')],
    ['a path with ..', async (_scene, outside) => `../${outside.split('/').at(-1)}/key`],
    [
      'a link to a file outside',
      async ({ cwd }, outside) => {
        await symlink(join(outside, 'key'), join(cwd, 'link'))
        return 'link'
      },
    ],
    [
      'a link to a folder outside',
      async ({ cwd }, outside) => {
        await symlink(outside, join(cwd, 'keys'))
        return 'keys/key'
      },
    ],
  ])('that .env names by %s is not read', async (_path, prepare) => {
    const scene = await aScene()
    const outside = await temporaryFolder()
    await writeFile(join(outside, 'key'), scene.key, { mode: 0o600 })
    const keyFile = await prepare(scene, outside)
    await writeFile(join(scene.cwd, '.env'), `NOTES_BASE_URL=${scene.url}\nNOTES_API_KEY_FILE=${keyFile}\n`)
    const { code, stderr } = await list({ cwd: scene.cwd })
    expect({ code, requests: scene.service.requests.length }).toEqual({ code: 3, requests: 0 })
    expect(stderr).toContain('lies outside the folder')
  })

  it('that does not have the form of an API key is not sent, and not quoted', async () => {
    const { cwd, url, service } = await aScene()
    await mkdir(join(cwd, 'keys'))
    await writeFile(join(cwd, 'keys/token'), 'ghp_hushhush\n', { mode: 0o600 })
    const { code, stderr } = await list({ cwd, env: { NOTES_BASE_URL: url } }, ['--api-key-file', 'keys/token'])
    expect({ code, requests: service.requests.length }).toEqual({ code: 3, requests: 0 })
    expect(stderr).toContain('does not contain an API key')
    expect(stderr).not.toContain('hush')
  })

  it.each(['key', '.env'])('that is a named pipe (%s) does not block the program', async (name) => {
    const { cwd, url } = await aScene()
    execFileSync('mkfifo', [join(cwd, name)])
    const args = name === 'key' ? ['--api-key-file', 'key'] : []
    const { code, stderr } = await list({ cwd, env: { NOTES_BASE_URL: url } }, args)
    expect(code).toBe(3)
    expect(stderr).toContain('it is not a file')
  })

  it('that is a device without an end is not read', async () => {
    const { cwd, url } = await aScene()
    const { code } = await list({ cwd, env: { NOTES_BASE_URL: url } }, ['--api-key-file', '/dev/zero'])
    expect(code).toBe(3)
  })
})

describe('a database outside the folder', () => {
  it.each<[string, (cwd: string, outside: string) => Promise<string>]>([
    ['an absolute path', async (_cwd, outside) => join(outside, 'notes.db')],
    ['a path with ..', async (_cwd, outside) => `../${outside.split('/').at(-1)}/notes.db`],
    [
      'a link to a file that does not exist',
      async (cwd, outside) => {
        await symlink(join(outside, 'new.db'), join(cwd, 'link.db'))
        return 'link.db'
      },
    ],
    [
      'a link to a folder',
      async (cwd, outside) => {
        await symlink(outside, join(cwd, 'link'))
        return 'link/new.db'
      },
    ],
  ])('that .env names by %s is refused, and is not created', async (_path, prepare) => {
    const { cwd, url, key, service } = await aScene()
    const outside = await temporaryFolder()
    const database = await prepare(cwd, outside)
    await writeFile(join(cwd, '.env'), `NOTES_BASE_URL=${url}\nNOTES_API_KEY=${key}\nNOTEWIRE_DATABASE=${database}\n`)
    const { exitCode, stderr } = await runNotewire(['pull'], { cwd })
    expect({ exitCode, requests: service.requests.length }).toEqual({ exitCode: 3, requests: 0 })
    expect(unwrapped(stderr)).toContain('lies outside the folder')
    expect(await readdir(outside)).toEqual([])
  })

  it.each<[string, (path: string) => { args?: string[]; env?: Record<string, string> }]>([
    ['a flag', (path) => ({ args: ['--database', path] })],
    ['the environment', (path) => ({ env: { NOTEWIRE_DATABASE: path } })],
  ])('that %s names is used', async (_source, settings) => {
    const { cwd, url, key } = await aScene()
    const { args = [], env = {} } = settings(join(await temporaryFolder(), 'notes.db'))
    const { exitCode } = await runNotewire(['pull', ...args], {
      cwd,
      env: { NOTES_BASE_URL: url, NOTES_API_KEY: key, ...env },
    })
    expect(exitCode).toBe(0)
  })
})

describe('a key with the id of the key that made the copy, and another secret', () => {
  it.each<[string, string, readonly string[]]>([
    ['a link with the default name', 'notes.db', []],
    ['a link with another name', 'other.db', ['--database', 'other.db']],
  ])('removes nothing through %s', async (_kind, name, database) => {
    const { own, cwd, url, forged, requests } = await forgedKey(name)
    for (const args of [['--full-listing'], ['--full-listing', '--accept-removals', '--yes']]) {
      const { exitCode, stderr } = await runNotewire(['pull', ...database, ...args], { cwd })
      expect(exitCode).toBe(3)
      expect(unwrapped(stderr)).toMatch(/same key id and another secret.*\[key_changed\]/)
      expect(unwrapped(stderr)).toContain(
        `The copy was made from ${own.env['NOTES_BASE_URL']}; this pull reads from ${url}`,
      )
      expect(stderr).not.toContain(forged)
    }
    expect(requests.filter((request) => request.includes('/v1/notes/'))).toEqual([])
    expect(await countsOf(own)).toMatchObject({ live: 3, hidden: 0, gone: 0 })
  })

  it('removes nothing from a copy of version 0.1.0, which recorded the key id alone', async () => {
    const { own, cwd, requests } = await forgedKey('notes.db')
    await forgetDigest(own.database)
    const before = requests.length
    for (const args of [
      ['pull', '--full-listing'],
      ['pull', '--adopt-key'],
      ['export', 'notes', '--pull'],
    ]) {
      const { exitCode, stderr } = await runNotewire(args, { cwd })
      expect({ exitCode, stderr: unwrapped(stderr) }).toMatchObject({
        exitCode: 3,
        stderr: expect.stringContaining('[key_'),
      })
    }
    // Only --adopt-key asks which notes the key sees.
    expect(requests.length - before).toBe(1)
    expect(await countsOf(own)).toMatchObject({ live: 3, hidden: 0, gone: 0 })
    const { exitCode } = await runNotewire(['pull'], own)
    expect(exitCode).toBe(0)
  })
})

/** A copy of the user, and a folder that names a service without notes, a key with the key id of the copy's key, and the copy by a link. */
async function forgedKey(name: string) {
  const own = await prepared(3)
  await runNotewire(['pull'], own)
  const cwd = await temporaryFolder()
  await symlink(own.database, join(cwd, name))
  const { url, requests } = await serviceWithoutNotes()
  const forged = `${own.env['NOTES_API_KEY']?.slice(0, -4)}0000`
  await writeFile(join(cwd, '.env'), `NOTES_BASE_URL=${url}\nNOTES_API_KEY=${forged}\n`)
  return { own, cwd, url, forged, requests }
}

async function countsOf(own: { readonly cwd: string }): Promise<unknown> {
  const { stdout } = await runNotewire(['status', '--json'], own)
  return JSON.parse(stdout).notes
}

/** Makes of a copy what version 0.1.0 recorded. */
async function forgetDigest(database: string): Promise<void> {
  const store = sqliteMirror(database)
  const { progress } = await store.readProgress('default')
  if (progress.key?.kind !== 'key_id') throw new Error('the key has an id')
  const { baseUrl: _, ...rest } = progress
  const next = { ...rest, key: { kind: 'key_id', keyId: progress.key.keyId } } as const
  await store.commit('default', { notes: [], progress: next })
  await store.close?.()
}

/** A service that accepts every key, and has no notes. */
async function serviceWithoutNotes() {
  const requests: string[] = []
  const server = createServer(({ url = '' }, response) => {
    requests.push(url)
    response.setHeader('content-type', 'application/json').end('{"notes":[],"has_more":false,"next_cursor":null}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  leave(() => server.close())
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, requests }
}

async function aScene(): Promise<Scene> {
  const { service, env } = await mockService()
  return { cwd: await temporaryFolder(), url: env['NOTES_BASE_URL'] ?? '', key: env['NOTES_API_KEY'] ?? '', service }
}

async function run(url: Prepare, key: Prepare, more: RunOptions = {}) {
  const scene = await aScene()
  const given = [await url(scene), await key(scene)]
  const env = Object.assign({}, ...given.map((each) => each.env), more.env)
  const args = given.flatMap((each) => each.args ?? [])
  return { ...(await list({ cwd: scene.cwd, env }, args)), requests: scene.service.requests.length }
}

async function list(options: RunOptions, args: readonly string[] = []) {
  const { exitCode, stderr } = await runNotewire(['endpoints', 'list', ...args], options)
  return { code: exitCode, stderr: unwrapped(stderr) }
}
