import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { NotesService } from '@notewire/mock-server'
import { afterEach, describe, expect, it } from 'vitest'
import { CLOSED_PORT } from '../../fixtures/closed-port.ts'
import { cleanUp } from '../../fixtures/leftovers.ts'
import { notesIn, notesOf } from '../../fixtures/local-copy.ts'
import { prepared, receivedRequests, silentFrom } from '../../fixtures/prepared.ts'
import { readOnlyFolder } from '../../fixtures/read-only-folder.ts'
import { runNotewire, startInTerminal, startNotewire } from '../../fixtures/run-notewire.ts'
import { unwrapped } from '../../fixtures/unwrapped.ts'

afterEach(cleanUp)

describe('pull --purge', () => {
  it('leaves no byte of an erased note in the file', async () => {
    const { service, env, cwd, database } = await prepared(3)
    const secret = service.owner.record({ title: 'zanzibar' }).end()
    await service.settled()
    await runNotewire(['pull'], { cwd, env })
    expect(await readFile(database, 'latin1')).toContain('zanzibar')
    secret.delete()
    const { exitCode, stderr } = await runNotewire(['pull', '--full-listing', '--purge'], { cwd, env })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect((await readFile(database, 'latin1')).toLowerCase()).not.toContain('zanzibar')
    expect(await notesIn(database)).toEqual(await notesOf(service))
  })
})

describe('pull into the database of another program', () => {
  it('adds no tables, unless the user agrees', async () => {
    const { env, cwd, database } = await prepared(1)
    const { DatabaseSync } = await import('node:sqlite')
    const foreign = new DatabaseSync(database)
    foreign.exec('CREATE TABLE recipes (name TEXT)')
    const tables = () => foreign.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    const { exitCode, stdout, stderr } = await runNotewire(['pull'], { cwd, env })
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(unwrapped(stderr)).toMatch(/database of another program.*--database.*--yes.*\[database_foreign\]/)
    expect(tables()).toEqual([{ name: 'recipes' }])
    expect((await runNotewire(['pull', '--yes'], { cwd, env })).exitCode).toBe(0)
    expect((await runNotewire(['pull'], { cwd, env })).exitCode).toBe(0)
    expect(tables()).toContainEqual({ name: 'recipes' })
    foreign.close()
  })

  it('asks at a terminal', async () => {
    const { env, cwd, database } = await prepared(1)
    const { DatabaseSync } = await import('node:sqlite')
    const foreign = new DatabaseSync(database)
    foreign.exec('CREATE TABLE recipes (name TEXT)')
    foreign.close()
    const running = startInTerminal(['pull'], { cwd, env: { ...env, TERM: 'xterm' } })
    await running.saw(/Add the copy to it\?/)
    running.type('y')
    expect((await running.ended).exitCode).toBe(0)
  })
})

describe('the first pull', () => {
  it('creates a file with mode 600 that contains all notes of the service', async () => {
    const { service, env, cwd, database } = await prepared(60)
    const { exitCode, stdout, stderr } = await runNotewire(['pull'], { cwd, env })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toMatch(/^✓ 60 notes in notes\.db\n {2}60 new, 0 changed, 0 removed, in [\d.]+ s\n$/)
    expect(await notesIn(database)).toEqual(await notesOf(service))
    expect((await stat(database)).mode & 0o777).toBe(0o600)
  })

  it('of a service without notes ends with 0', async () => {
    const { env, cwd } = await prepared(0)
    const { exitCode, stdout } = await runNotewire(['pull'], { cwd, env })
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('0 notes') })
  })

  it('shows its progress on a terminal, and removes it at the end', async () => {
    const { env, cwd } = await prepared(60, { latencyMs: 50 })
    const { exitCode, stdout } = await startInTerminal(['pull'], { cwd, env: { ...env, TERM: 'xterm' } }).ended
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/Reading {2}\d+/)
    const left = stdout.split('\n').flatMap((line) => line.split('\u001b[2K').at(-1) ?? [])
    expect(left.join('\n')).not.toContain('Reading')
  })

  it('shows no colour on a terminal with NO_COLOR', async () => {
    const { env, cwd } = await prepared(2)
    const coloured = await startInTerminal(['pull'], { cwd, env: { ...env, TERM: 'xterm' } }).ended
    const plain = await startInTerminal(['pull'], { cwd, env: { ...env, TERM: 'xterm', NO_COLOR: '1' } }).ended
    expect(coloured.stdout).toContain('\u001b[32m✓')
    expect(plain.stdout).toMatch(/✓ 2 notes/)
    expect(plain.stdout).not.toContain('\u001b[32m')
  })

  it('with --json prints only one report', async () => {
    const { env, cwd } = await prepared(3)
    const { exitCode, stdout, stderr } = await runNotewire(['pull', '--json'], { cwd, env })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toMatch(/^.*\n$/)
    expect(JSON.parse(stdout)).toMatchObject({
      database: 'notes.db',
      settled: true,
      notes: 3,
      added: 3,
      changed: 0,
      removed: 0,
      pending: 0,
      held: [],
    })
  })
})

describe('a later pull', () => {
  it('counts new, changed and, with --full-listing, removed notes', async () => {
    const { service, env, cwd, database } = await prepared(10)
    await runNotewire(['pull'], { cwd, env })
    const [first, second] = service.owner.notes()
    first?.edit({ title: 'Another title' })
    second?.moveTo(service.owner.createChannel('Elsewhere'))
    service.owner.record({ title: 'New' }).end({ summary: false })
    const { stdout } = await runNotewire(['pull', '--full-listing', '--json'], { cwd, env })
    expect(JSON.parse(stdout)).toMatchObject({ notes: 10, added: 1, changed: 1, removed: 1 })
    expect(await notesIn(database)).toEqual(await notesOf(service))
  })
})

describe('a pull that is interrupted', () => {
  it('by Ctrl-C ends with 130, and the next pull continues', async () => {
    const { service, env, cwd, database } = await prepared(150)
    const silence = silentFrom(service, 120)
    const running = startNotewire(['pull'], { cwd, env })
    await receivedRequests(service, 120)
    running.child.kill('SIGINT')
    const { exitCode, stderr } = await running.ended
    silence.remove()
    expect(exitCode).toBe(130)
    expect(unwrapped(stderr)).toBe(
      'The notes pulled so far are in notes.db. The next pull continues from there. Interrupted. ',
    )
    expect((await runNotewire(['pull'], { cwd, env })).exitCode).toBe(0)
    // Two requests for each note, two pages, and some requests that were interrupted.
    expect(service.requests.length).toBeLessThan(302 + 40)
    expect(await notesIn(database)).toEqual(await notesOf(service))
  })

  it('by a kill makes the next pull end with 1 if it does not wait for the leases', async () => {
    const { service, env, cwd } = await prepared(40)
    const silence = silentFrom(service, 30)
    const running = startNotewire(['pull'], { cwd, env })
    await receivedRequests(service, 30)
    running.child.kill('SIGKILL')
    await running.ended
    silence.remove()
    const { exitCode, stdout } = await runNotewire(['pull', '--wait', '0'], { cwd, env })
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/could not be read yet|Another run is working/)
  })
})

describe('a key', () => {
  it('that the service rejects ends with 4, and leaves no file', async () => {
    const { env, cwd } = await prepared(2)
    const wrong = { ...env, NOTES_API_KEY: 'ntw_live_k7.secretsecret' }
    const { exitCode, stderr } = await runNotewire(['pull'], { cwd, env: wrong })
    expect(exitCode).toBe(4)
    expect(stderr).not.toContain('secretsecret')
    expect(await readdir(cwd)).toEqual([])
  })

  it('that is unknown or revoked does not change an earlier copy', async () => {
    const { service, env, cwd, database } = await prepared(5)
    const issued = service.owner.createIntegration().issueKey()
    const own = { ...env, NOTES_API_KEY: issued.key }
    await runNotewire(['pull'], { cwd, env: own })
    const before = await notesIn(database)
    issued.revoke()
    for (const key of [issued.key, 'ntw_live_k7.secretsecret']) {
      const { exitCode } = await runNotewire(['pull', '--full-listing'], { cwd, env: { ...env, NOTES_API_KEY: key } })
      expect(exitCode).toBe(4)
      expect(await notesIn(database)).toEqual(before)
    }
  })

  it('other than the key of the copy ends with 3 and both next steps, and does not change the copy', async () => {
    const { service, env, cwd, database } = await prepared(5)
    await runNotewire(['pull'], { cwd, env })
    const before = await notesIn(database)
    const { exitCode, stderr } = await runNotewire(['pull'], { cwd, env: otherKey(service, env) })
    expect(exitCode).toBe(3)
    expect(unwrapped(stderr)).toMatch(
      /notewire pull --adopt-key.*notewire pull --integration <id>, or --database other\.db/,
    )
    expect(await notesIn(database)).toEqual(before)
  })

  it.each([{ keyForm: 'without_key_id' }, { keyForm: 'symbols' }, { keyPrefix: 'acme-notes_eu' }] as const)(
    'other than the key of the copy is rejected in every form: %o',
    async (contract) => {
      const { service, env, cwd, database } = await prepared(10, { contract })
      await runNotewire(['pull'], { cwd, env })
      const before = await notesIn(database)
      const channels = [service.owner.createChannel('Empty')]
      const { key } = service.owner.createIntegration({ channels }).issueKey()
      const other = { ...env, NOTES_API_KEY: key }
      for (const args of [
        ['pull', '--full-listing'],
        ['pull', '--adopt-key'],
      ]) {
        const { exitCode, stdout, stderr } = await runNotewire(args, { cwd, env: other })
        expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' })
        expect(stderr).not.toContain(key.slice(-12))
        expect(unwrapped(stderr)).not.toContain('undefined')
        expect(await notesIn(database)).toEqual(before)
      }
      expect((await runNotewire(['pull', '--full-listing'], { cwd, env })).exitCode).toBe(0)
    },
  )

  it.each([
    ['key_id', /now belongs to the key /],
    ['without_key_id', /now belongs to this key \(it has no key id\)/],
  ] as const)('of the form %s can be adopted if it sees the same notes', async (keyForm, words) => {
    const { service, env, cwd, database } = await prepared(5, { contract: { keyForm } })
    await runNotewire(['pull'], { cwd, env })
    const other = otherKey(service, env)
    const adopted = await runNotewire(['pull', '--adopt-key'], { cwd, env: other })
    expect([adopted.exitCode, unwrapped(adopted.stderr)]).toEqual([0, expect.stringMatching(words)])
    expect((await runNotewire(['pull'], { cwd, env })).exitCode).toBe(3)
    service.owner.record({ title: 'New' }).end({ summary: false })
    expect((await runNotewire(['pull'], { cwd, env: other })).exitCode).toBe(0)
    expect(await notesIn(database)).toEqual(await notesOf(service))
  })

  it('cannot be adopted if it sees no note of the copy', async () => {
    const { service, env, cwd, database } = await prepared(5)
    await runNotewire(['pull'], { cwd, env })
    const before = await notesIn(database)
    const channel = service.owner.createChannel('Elsewhere')
    service.owner.record({ channel }).end()
    const { key } = service.owner.createIntegration({ channels: [channel] }).issueKey()
    const { exitCode, stderr } = await runNotewire(['pull', '--adopt-key'], {
      cwd,
      env: { ...env, NOTES_API_KEY: key },
    })
    expect(exitCode).toBe(3)
    expect(stderr).toContain('key_sees_others')
    expect(await notesIn(database)).toEqual(before)
  })
})

it('a pull into a folder that does not exist creates nothing, and says so', async () => {
  const { env, cwd } = await prepared(1)
  const { exitCode, stderr } = await runNotewire(['pull', '--database', 'absent/notes.db'], { cwd, env })
  expect(exitCode).toBe(1)
  expect(unwrapped(stderr)).toMatch(/absent\/notes\.db cannot be created: there is no such .*\[database_failed\]/)
})

it('the next steps of a copy that is not the default one name it', async () => {
  const { env, cwd } = await prepared(1)
  const copy = ['--database', 'my notes.db', '--integration', 'acme']
  await runNotewire(['pull', ...copy], { cwd, env })
  const { stdout } = await runNotewire(['status', ...copy], { cwd })
  expect(unwrapped(stdout)).toContain("notewire pull --database 'my notes.db' --integration acme --full-listing")
})

describe('more removals than a pull makes without consent', () => {
  it('are held back and explained, and made with --accept-removals', async () => {
    const { service, env, cwd, database } = await mostlyMoved()
    const held = await runNotewire(['pull', '--full-listing'], { cwd, env })
    expect(held.exitCode).toBe(1)
    expect(unwrapped(held.stderr)).toMatch(/no longer shows 60 notes of 80, .*notewire pull --accept-removals/)
    expect(unwrapped(held.stdout)).toMatch(/60 hidden, 0 removed/)
    expect((await runNotewire(['status'], { cwd })).exitCode).toBe(1)
    const unasked = await runNotewire(['pull', '--accept-removals'], { cwd, env })
    expect(unasked.exitCode).toBe(2)
    const accepted = await runNotewire(['pull', '--accept-removals', '--yes', '--json'], { cwd, env })
    expect(accepted.exitCode).toBe(0)
    expect(JSON.parse(accepted.stdout)).toMatchObject({ notes: 20, removed: 60, held: [] })
    expect(await notesIn(database)).toEqual(await notesOf(service))
  })

  it('are held back if they are all notes of a small copy', async () => {
    const { service, env, cwd, database } = await prepared(3)
    await runNotewire(['pull'], { cwd, env })
    const elsewhere = service.owner.createChannel('Elsewhere')
    for (const note of service.owner.notes()) note.moveTo(elsewhere)
    const { exitCode, stderr } = await runNotewire(['pull', '--full-listing'], { cwd, env })
    expect([exitCode, unwrapped(stderr)]).toEqual([1, expect.stringContaining('no longer shows 3 notes of 3')])
    for (const note of service.owner.notes()) note.moveTo('personal')
    expect((await runNotewire(['pull', '--full-listing'], { cwd, env })).exitCode).toBe(0)
    expect(await notesIn(database)).toEqual(await notesOf(service))
  })

  it('are made at a terminal when the user confirms their number', async () => {
    const { env, cwd } = await mostlyMoved()
    await runNotewire(['pull', '--full-listing'], { cwd, env })
    const running = startInTerminal(['pull', '--accept-removals'], { cwd, env: { ...env, TERM: 'xterm' } })
    await running.saw(/60 notes of the 80[\s\S]*Erase 60 notes/)
    running.type('y')
    const { exitCode, stdout } = await running.ended
    expect(exitCode).toBe(0)
    expect(stdout).toContain('60 removed')
  })

  it('can be accepted after another full listing', async () => {
    const { env, cwd } = await mostlyMoved()
    await runNotewire(['pull', '--full-listing'], { cwd, env })
    expect((await runNotewire(['pull', '--full-listing'], { cwd, env })).exitCode).toBe(1)
    expect((await runNotewire(['pull', '--accept-removals', '--yes'], { cwd, env })).exitCode).toBe(0)
  })
})

describe('a database that cannot be written', () => {
  it.each([
    ['a file in a missing folder', 'absent/notes.db', /no such file or folder/],
    ['a folder', '.', /EEXIST|folder|cannot be opened/],
  ])('such as %s ends with 1 and an explanation', async (_place, database, words) => {
    const { env, cwd } = await prepared(1)
    const { exitCode, stderr } = await runNotewire(['pull', '--database', database], { cwd, env })
    expect(exitCode).toBe(1)
    expect(unwrapped(stderr)).toMatch(words)
    expect(stderr).not.toContain('defect of notewire')
  })

  it('such as a file that is not a database is not changed', async () => {
    const { env, cwd } = await prepared(1)
    await writeFile(join(cwd, 'diary.txt'), 'Dear diary, this is no database at all, however you look at it.')
    const { exitCode, stderr } = await runNotewire(['pull', '--database', 'diary.txt'], { cwd, env })
    expect([exitCode, unwrapped(stderr)]).toEqual([1, expect.stringContaining('diary.txt is not a SQLite database')])
    expect(await readFile(join(cwd, 'diary.txt'), 'utf8')).toMatch(/^Dear diary/)
  })

  it('such as one in a read-only folder ends with an explanation, for a new copy and an existing one', async () => {
    const { env, cwd } = await prepared(3)
    const folder = join(cwd, 'folder')
    await mkdir(folder)
    await runNotewire(['pull', '--database', 'folder/notes.db'], { cwd, env })
    const { under } = await readOnlyFolder(folder)
    for (const name of ['new.db', 'notes.db']) {
      const { exitCode, stderr } = await runNotewire(['pull', '--database', `folder/${name}`], { cwd, env, under })
      expect(exitCode).toBe(1)
      expect(unwrapped(stderr)).toMatch(/permission denied|cannot be written|cannot be opened/)
      expect(stderr).not.toContain('defect of notewire')
    }
  })
})

describe('a service that cannot be reached', () => {
  it('ends with 5 and leaves no file', async () => {
    const { env, cwd } = await prepared(1)
    const { exitCode } = await runNotewire(['pull'], { cwd, env: { ...env, NOTES_BASE_URL: CLOSED_PORT } })
    expect(exitCode).toBe(5)
    expect(await readdir(cwd)).toEqual([])
  })

  it('during a pull ends with 5, and says that the pulled notes are kept', async () => {
    const { service, env, cwd, database } = await prepared(60)
    await runNotewire(['pull'], { cwd, env })
    const before = await notesIn(database)
    service.faults.inject({ request: '* /v1/**', fault: { kind: 'status', status: 503 } })
    const { exitCode, stderr } = await runNotewire(['pull', '--full-listing'], { cwd, env })
    expect([exitCode, unwrapped(stderr)]).toEqual([
      5,
      expect.stringContaining('The notes pulled so far are in notes.db.'),
    ])
    expect(await notesIn(database)).toEqual(before)
  })
})

/** A copy of 80 notes, of which the service now shows 20. */
async function mostlyMoved() {
  const found = await prepared(80)
  await runNotewire(['pull'], { cwd: found.cwd, env: found.env })
  const elsewhere = found.service.owner.createChannel('Elsewhere')
  for (const note of found.service.owner.notes().slice(0, 60)) note.moveTo(elsewhere)
  return found
}

function otherKey(service: NotesService, env: Readonly<Record<string, string>>): Record<string, string> {
  return { ...env, NOTES_API_KEY: service.owner.createIntegration().issueKey().key }
}
