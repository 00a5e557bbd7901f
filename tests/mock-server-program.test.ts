import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { run, WORKSPACE } from '../scripts/run.ts'

const PROGRAM = join(WORKSPACE, 'packages/mock-server/dist/program.js')

let folder: string
let archive: string
let oneFile: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'notewire-one-file-'))
  await run(process.execPath, ['scripts/mock-binary.ts', folder], WORKSPACE)
  archive = (await readdir(folder)).find((name) => name.endsWith('.tar.gz')) ?? ''
  await mkdir(join(folder, 'extracted'))
  await run('tar', ['-xzf', join(folder, archive)], join(folder, 'extracted'))
  oneFile = join(folder, 'extracted/notewire-mock-server')
})
afterAll(() => rm(folder, { recursive: true }))

const started: ChildProcess[] = []
afterEach(() => {
  for (const program of started.splice(0)) program.kill('SIGKILL')
})

describe.each([
  ['the program', () => start],
  ['the program as one file, without Node.js', () => startOneFile],
])('%s', (_name, starter) => {
  const ready = (...args: string[]) => readyOf(starter(), args)

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
    expect(await program.ended).toEqual([143, null])
  })

  it('creates the same notes for the same seed, and another key at each start', async () => {
    const [one, same, other] = await Promise.all(
      ['7', '7', '8'].map((seed) => ready('--port', '0', '--notes', '2', '--seed', seed)),
    )
    const notesOf = async (program: typeof one) => program && (await (await request(program, '/v1/notes')).json()).notes
    const ids = async (program: typeof one) =>
      (await notesOf(program)).map(({ note_id }: { note_id: string }) => note_id)
    expect(await ids(one)).toEqual(await ids(same))
    expect(await ids(one)).not.toEqual(await ids(other))
    expect(one?.shown('API key')).not.toBe(same?.shown('API key'))
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
  })

  it.each([
    ['--help', /Usage\n {2}notewire-mock-server \[options\]/],
    ['--version', /^\d+\.\d+\.\d+\n$/],
  ])('answers %s', async (argument, expected) => {
    const { output, ended, complaints } = starter()(argument)
    expect(await ended).toEqual([0, null])
    expect(output()).toMatch(expected)
    expect(complaints()).toBe('')
  })
})

it('the program as one file ignores the configuration of Bun in the folder where it starts', async () => {
  await writeFile(join(folder, 'extracted/bunfig.toml'), 'preload = ["./missing.js"]')
  const { ended, output } = startOneFile('--version')
  expect(await ended).toEqual([0, null])
  expect(output()).toMatch(/^\d+\.\d+\.\d+\n$/)
})

it('the test in Python of the documentation passes', async () => {
  const page = await readFile(join(WORKSPACE, 'docs/mock-server/other-languages.md'), 'utf8')
  expect(page.replaceAll('linux-x64', `${process.platform}-${process.arch}`)).toContain(archive)
  const [, test = ''] = /```python\n(.*?)```/s.exec(page) ?? []
  const python = spawn('python3', ['-'], { cwd: join(folder, 'extracted') })
  let output = ''
  python.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  python.stdin.end(test)
  const [code] = await once(python, 'close')
  expect(output).toMatch(/Ran 1 test .*OK/s)
  expect(code).toBe(0)
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

  it('1 for a port in use', async () => {
    const { port } = new URL((await readyOf(start, ['--port', '0'])).shown('Base URL'))
    const program = start('--port', port)
    expect(await program.ended).toEqual([1, null])
    expect(program.complaints()).toContain(`cannot listen on 127.0.0.1, port ${port} (EADDRINUSE). Choose another port`)
  })
})

function start(...args: string[]) {
  return follow(spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] }))
}

/** The environment is empty, so that the file finds no other program. */
function startOneFile(...args: string[]) {
  return follow(spawn(oneFile, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: join(folder, 'extracted'), env: {} }))
}

function follow(child: ChildProcessByStdio<null, Readable, Readable>) {
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

async function readyOf(starter: typeof start, args: readonly string[]) {
  const program = starter(...args)
  await expect.poll(() => program.output() + program.complaints()).toContain('Ctrl-C')
  return program
}

function request(program: ReturnType<typeof start>, path: string, key = program.shown('API key')): Promise<Response> {
  return fetch(program.shown('Base URL') + path, { headers: { authorization: `Bearer ${key}` } })
}
