import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { nodeSqlite } from '@notewire/mirror/sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cleanUp, leave } from '../../fixtures/leftovers.ts'
import { prepared } from '../../fixtures/prepared.ts'
import { type Ended, runNotewire } from '../../fixtures/run-notewire.ts'
import { temporaryFolder } from '../../fixtures/temporary-folder.ts'
import { unwrapped } from '../../fixtures/unwrapped.ts'

afterEach(cleanUp)

/** Everything that a terminal may execute, that hides, or that turns text round, and a line that imitates another message. */
const HOSTILE = '\u001b]0;x\u0007\u001b[31mred\u009b2J\u0085\u007f\u200e\u200f\u061c\u202e\u2066\ufeff\r\nerror  faked'

const EXECUTED = /[^\P{Cc}\n]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u

let cwd: string
beforeEach(async () => {
  cwd = await temporaryFolder()
})

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return await runNotewire(args, { cwd, env: { FORCE_COLOR: '1', ...env } })
}

const ESCAPE = new RegExp(`${String.fromCharCode(27)}(.{0,5}?m|.)`, 'g')

/** No character of a value reaches the terminal that it would execute, and no value begins a line. Colours of the program may. */
function expectPrintable({ stdout, stderr }: Ended): void {
  const text = stripVTControlCharacters(stdout + stderr)
  expect(text).not.toMatch(EXECUTED)
  // Colours of the program are no hostile text.
  for (const [, code = ''] of (stdout + stderr).matchAll(ESCAPE)) expect(code).toMatch(/^\[(?:[012]|22|39|3[1-35])m$/)
  expect(stdout + stderr).not.toContain('\u001b[31mred')
  expect(text).not.toMatch(/^ *error {2}faked/m)
  expect(text).toContain('faked')
}

/** A service that answers every request with one status and body. */
async function answering(body: string, status = 200): Promise<Readonly<Record<string, string>>> {
  const server = createServer((_request, response) => response.writeHead(status).end(body))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  leave(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { NOTES_BASE_URL: url, NOTES_API_KEY: 'ntw_live_k.secret' }
}

describe('text from outside in the terminal', () => {
  it('of an answer to notewire api, which stays exact as JSON', async () => {
    const json = JSON.stringify({ title: HOSTILE }).replace('\\u009b', '\u009b')
    const shown = await run(['api', 'GET', '/v1/notes'], await answering(json))
    expectPrintable(shown)
    expect(JSON.parse(shown.stdout)).toEqual({ title: HOSTILE })
    const plain = await run(['api', 'GET', '/v1/notes'], await answering(`<p>${HOSTILE.replace('\r\n', '')}\nnext`))
    expectPrintable(plain)
    expect(plain.stdout).toMatch(/\nnext\n$/)
    const machine = await run(['api', 'GET', '/v1/notes', '--json'], await answering(HOSTILE))
    expectPrintable(machine)
    expect(JSON.parse(machine.stdout).body).toBe(HOSTILE)
  })

  it('of ids in the answer to trigger, and of endpoints', async () => {
    const env = await answering(JSON.stringify({ event_type: 'note.ended', note_id: HOSTILE }))
    expectPrintable(await run(['trigger', 'note.ended'], env))
    const machine = await run(['trigger', 'note.ended', '--json'], env)
    expect(JSON.parse(machine.stdout).note_id).toBe(HOSTILE)
    const refusal = { error: { code: 'note_unknown', problem: HOSTILE, remedy: 'faked' } }
    expectPrintable(await run(['trigger', 'note.ended'], await answering(JSON.stringify(refusal), 404)))
    const endpoint = { endpoint_id: HOSTILE, url: HOSTILE, events: [HOSTILE], status: HOSTILE }
    expectPrintable(await run(['endpoints', 'list'], await answering(JSON.stringify({ endpoints: [endpoint] }))))
  })

  it('of values in .env, of arguments, and of names of files', async () => {
    for (const [name, command] of [
      ['NOTES_BASE_URL', 'pull'],
      ['NOTEWIRE_INTEGRATION', 'status'],
      ['NOTEWIRE_DATABASE', 'status'],
    ] as const) {
      await writeFile(join(cwd, '.env'), `${name}="${HOSTILE}"\n`)
      expectPrintable(await run([command]))
    }
    await writeFile(join(cwd, '.env'), '')
    expectPrintable(await run(['status', '--database', HOSTILE]))
    expectPrintable(await run([HOSTILE]))
    expectPrintable(await run(['pull', '--wait', HOSTILE]))
    expectPrintable(await run(['export', `${HOSTILE}.jsonl`]))
    const json = await run(['status', '--database', HOSTILE, '--json'])
    expect(JSON.parse(json.stderr).error.message).toContain(`${HOSTILE} does not exist`)
    expect(json.stderr).not.toMatch(EXECUTED)
  })

  it('of the columns of a copy from another machine', async () => {
    const { env, cwd: folder, database } = await prepared(2)
    cwd = folder
    expect((await run(['pull'], env)).exitCode).toBe(0)
    const driver = nodeSqlite(database)
    await driver.batch([{ sql: 'UPDATE notewire_mirrors SET integration = ?', parameters: [HOSTILE] }], 'process')
    driver.close?.()
    expectPrintable(await run(['status']))
  })
})

describe('a printed command', () => {
  it.each([
    'k; touch PWNED #',
    "it's",
    '$(touch PWNED)',
    '-R',
    'a`touch PWNED`b',
    'new\nline',
    'esc\u001b[31m',
    'two  spaces',
  ])('contains %j as one argument', async (name) => {
    const path = join(cwd, name)
    await writeFile(path, 'ntw_live_k.secret')
    await chmod(path, 0o644)
    const env = await answering('{"notes":[]}')
    const { stderr } = await run(['api', 'GET', '/v1/notes', '--api-key-file', name], {
      NOTES_BASE_URL: env['NOTES_BASE_URL'] ?? '',
      NO_COLOR: '1',
      FORCE_COLOR: '0',
    })
    const [, command = ''] = /^ *(?:.* )?(chmod 600 .*)$/m.exec(stderr) ?? []
    const { execFileSync } = await import('node:child_process')
    execFileSync('sh', ['-c', command], { cwd })
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    await expect(stat(join(cwd, 'PWNED'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

it('a deleted working folder is named, with the next step', async () => {
  const under = ['sh', '-c', 'rmdir "$PWD" && exec "$0" "$@"']
  const { exitCode, stderr } = await runNotewire(['status'], { cwd, under })
  expect(unwrapped(stderr)).toMatch(
    /^error the working folder does not exist any more.*with cd.*\[working_folder_missing\]/,
  )
  expect(exitCode).toBe(3)
})

describe('pull into a file that others can read', () => {
  it('narrows an empty file, and names one with content', async () => {
    const { env, cwd: folder, database } = await prepared(1)
    cwd = folder
    await writeFile(database, '')
    await chmod(database, 0o644)
    expect((await run(['pull'], env)).exitCode).toBe(0)
    expect((await stat(database)).mode & 0o777).toBe(0o600)
    await chmod(database, 0o640)
    const { exitCode, stderr } = await run(['pull'], env)
    expect(exitCode).toBe(0)
    expect(unwrapped(stderr)).toContain(
      'Others can read notes.db (mode 640), which contains your notes. Protect it: chmod 600 notes.db',
    )
  })
})

it('an exported page has no control characters, and keeps the marks of Arabic and Hebrew', async () => {
  const { service, env, cwd: folder } = await prepared(0)
  cwd = folder
  service.owner
    .record({
      title: 'שלום\u200f! \u001b[31m',
      content: `one\u001b[2J\u009b\u0000\u000btwo\rthree\u200f\u061c\u2067\tمرحبا\u2069`,
    })
    .end()
  await service.settled()
  expect((await run(['export', 'notes', '--pull'], env)).exitCode).toBe(0)
  const { readdir } = await import('node:fs/promises')
  const [name = ''] = (await readdir(join(cwd, 'notes'))).filter((each) => each.endsWith('.md'))
  const page = await readFile(join(cwd, 'notes', name), 'utf8')
  expect(page).not.toMatch(/[^\P{Cc}\n\t]/u)
  expect(page).toContain('שלום\u200f!')
  expect(page).toContain('two\nthree\u200f\u061c\u2067\tمرحبا\u2069')
})
