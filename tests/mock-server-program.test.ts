import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { WORKSPACE } from '../scripts/run.ts'

const PROGRAM = join(WORKSPACE, 'packages/mock-server/dist/program.js')

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'notewire-program-'))
})
afterAll(() => rm(folder, { recursive: true }))

const started: ChildProcess[] = []
afterEach(() => {
  for (const program of started.splice(0)) program.kill('SIGKILL')
})

describe('the program', () => {
  it('prints its URL and API key, answers, and ends cleanly on Ctrl-C', async () => {
    const program = await ready('--port', '0', '--notes', '3')
    expect(program.output()).toMatch(/^The mock server is ready\./)
    expect(program.shown('Console')).toBe(`${program.shown('Base URL')}/console`)
    const answer = await request(program, '/v1/notes')
    expect((await answer.json()).notes).toHaveLength(3)
    expect((await fetch(program.shown('Console'))).status).toBe(200)

    program.child.kill('SIGINT')
    expect(await program.ended).toEqual([0, null])
    expect(program.output()).toMatch(/Stopped\.\n$/)
    expect(program.complaints()).toBe('')
  })

  it('ends cleanly with a page of the console open', async () => {
    const program = await ready('--port', '0')
    const updates = await fetch(`${program.shown('Console')}/live?page=/console/deliveries`)
    await updates.body?.getReader().read()
    program.child.kill('SIGTERM')
    expect(await program.ended).toEqual([0, null])
  })

  it('creates the same data for the same seed', async () => {
    const [one, same, other] = await Promise.all(['7', '7', '8'].map((seed) => ready('--port', '0', '--seed', seed)))
    expect(one?.shown('API key')).toBe(same?.shown('API key'))
    expect(one?.shown('API key')).not.toBe(other?.shown('API key'))
  })

  it('prints the key of each account, which lists the notes of that account only', async () => {
    const program = await ready('--port', '0', '--notes', '2', '--accounts', '3')
    const keys = [1, 2, 3].map((number) => program.shown(`API key of owner-${number}`))
    expect(new Set(keys).size).toBe(3)
    const pages = await Promise.all(keys.map(async (key) => (await request(program, '/v1/notes', key)).json()))
    const listed = pages.flatMap(({ notes }) => notes.map(({ note_id }: { note_id: string }) => note_id))
    expect(new Set(listed).size).toBe(6)
  })

  it('listens only on localhost, unless an option changes that, and then prints the host', async () => {
    const program = await ready('--port', '0', '--host', '0.0.0.0')
    expect(program.output()).toContain('It listens on 0.0.0.0')
    expect((await ready('--port', '0')).output()).not.toContain('It listens on')
  })

  it('prints that endpoints may have any URL', async () => {
    expect((await ready('--port', '0')).output()).toContain('also a private address')
    const strict = await ready('--port', '0', '--scenario', await scenario({ service: { urlPolicy: 'public-https' } }))
    expect(strict.output()).not.toContain('also a private address')
  })

  it('plays a scenario: its accounts and their events', async () => {
    const heard: string[] = []
    const receiver = createServer((request, response) => {
      request.setEncoding('utf8').on('data', (body) => heard.push(JSON.parse(body).event_type))
      response.writeHead(204).end()
    })
    receiver.listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    const { port } = receiver.address() as AddressInfo
    const program = await ready(
      '--port',
      '0',
      '--scenario',
      await scenario({
        service: { seed: 7 },
        channels: ['Design'],
        integrations: [{ name: 'Sync', channels: ['Design'], scopes: ['notes:read', 'webhooks:manage'] }],
        endpoints: [{ url: `http://127.0.0.1:${port}/hooks`, integration: 'Sync' }],
        acts: [
          { at: '1s', do: 'record', note: 'plan', title: 'Plan', channel: 'Design' },
          { at: 1100, do: 'end', note: 'plan', summary: false },
          { at: 1200, do: 'move', note: 'plan', to: 'personal' },
          { at: 1300, do: 'edit', note: 'plan', title: 'Plan B' },
          { at: 1400, do: 'end', note: 'plan' },
        ],
      }),
    )
    expect(program.shown('Secret of')).toMatch(/^whsec_/)
    await expect.poll(() => heard).toEqual(['endpoint.verification', 'note.ended', 'note.deleted'])
    await expect.poll(program.complaints).toContain('The act "end" at 1400 was not done: no recording session')
    const { notes } = await (await request(program, '/v1/notes')).json()
    expect(notes).toMatchObject([{ title: 'Plan B', owner: { type: 'personal' } }])
    const ofSync = await (await request(program, '/v1/notes', program.shown('API key of Sync'))).json()
    expect(ofSync.notes).toEqual([])
    receiver.close()
  })

  it('prefers options to the scenario', async () => {
    const program = await ready('--notes', '2', '--port', '0', '--scenario', await scenario({ service: { notes: 5 } }))
    expect((await (await request(program, '/v1/notes')).json()).notes).toHaveLength(2)
  })

  it.each([
    ['--help', /Usage\n {2}npx @notewire\/mock-server \[options\]/],
    ['--version', /^\d+\.\d+\.\d+\n$/],
  ])('answers %s', async (argument, expected) => {
    const { output, ended, complaints } = start(argument)
    expect(await ended).toEqual([0, null])
    expect(output()).toMatch(expected)
    expect(complaints()).toBe('')
  })
})

describe('the program prints the problem and the next step, and its exit code is', () => {
  it.each([
    [['--prot', '1'], "Unknown option '--prot'", '--help'],
    [['serve'], "Unexpected argument 'serve'", '--help'],
    [['--port', '70000'], '--port has the wrong value "70000"', 'Pass a whole number from 0 to 65535.'],
    [['--notes', 'many'], '--notes has the wrong value "many"', 'Pass a whole number from 0.'],
    [['--clock', 'fast'], '--clock has the wrong value "fast"', 'Pass "virtual" or "real".'],
  ])('2 for %j', async (args, complaint, step) => {
    const program = start(...args)
    expect(await program.ended).toEqual([2, null])
    expect(program.complaints()).toContain(complaint)
    expect(program.complaints()).toContain(step)
    expect(program.complaints()).not.toContain('    at ')
  })

  it('2 for an invalid scenario', async () => {
    const unknown = start('--scenario', await scenario({ service: { notez: 3 } }))
    expect(await unknown.ended).toEqual([2, null])
    expect(unknown.complaints()).toContain('"service" has no option "notez"')

    const refused = start('--port', '0', '--scenario', await scenario({ endpoints: [{ url: 'elsewhere' }] }))
    expect(await refused.ended).toEqual([2, null])
    expect(refused.complaints()).toContain('"url" must be an absolute URL')
  })

  it('1 for a missing file', async () => {
    const program = start('--scenario', join(folder, 'missing.json'))
    expect(await program.ended).toEqual([1, null])
    expect(program.complaints()).toContain('there is no such file')
  })

  it('1 for a port in use', async () => {
    const { port } = new URL((await ready('--port', '0')).shown('Base URL'))
    const program = start('--port', port)
    expect(await program.ended).toEqual([1, null])
    expect(program.complaints()).toContain(`cannot listen on 127.0.0.1, port ${port} (EADDRINUSE). Choose another port`)
  })
})

function start(...args: string[]) {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  started.push(child)
  let output = ''
  let complaints = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text
  })
  return {
    child,
    ended: once(child, 'close'),
    output: () => output,
    complaints: () => complaints,
    /** The text printed after a label. */
    shown: (label: string) => new RegExp(`^ {2}${label}(?: \\S+)* {2,}(\\S+)$`, 'm').exec(output)?.[1] ?? '',
  }
}

async function ready(...args: string[]) {
  const program = start(...args)
  await expect.poll(() => program.output() + program.complaints()).toContain('Ctrl-C')
  return program
}

function request(program: ReturnType<typeof start>, path: string, key = program.shown('API key')): Promise<Response> {
  return fetch(program.shown('Base URL') + path, { headers: { authorization: `Bearer ${key}` } })
}

async function scenario(content: object): Promise<string> {
  const path = join(folder, `${Math.random()}.json`)
  await writeFile(path, JSON.stringify(content))
  return path
}
