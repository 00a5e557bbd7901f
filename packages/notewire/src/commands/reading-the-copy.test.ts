import { copyFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { cleanUp } from '../../fixtures/leftovers.ts'
import { prepared } from '../../fixtures/prepared.ts'
import { readOnlyFolder } from '../../fixtures/read-only-folder.ts'
import { runNotewire, startInTerminal, startNotewire } from '../../fixtures/run-notewire.ts'
import { temporaryFolder } from '../../fixtures/temporary-folder.ts'
import { unwrapped } from '../../fixtures/unwrapped.ts'

afterEach(cleanUp)

describe('without a copy', () => {
  it.each([['search', 'budget'], ['explain', 'note_1'], ['status'], ['export', 'notes']])(
    '%s explains how to create one, creates none, and ends with 1',
    async (...args) => {
      const cwd = await temporaryFolder()
      for (const prepare of [
        () => rm(join(cwd, 'notes.db'), { force: true }),
        () => writeFile(join(cwd, 'notes.db'), ''),
      ]) {
        await prepare()
        const { exitCode, stdout, stderr } = await runNotewire(args, { cwd })
        expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
        expect(unwrapped(stderr)).toContain('notewire pull')
      }
    },
  )

  it('the error names a folder in its place', async () => {
    const cwd = await temporaryFolder()
    const { exitCode, stderr } = await runNotewire(['status', '--database', '.'], { cwd })
    expect(exitCode).toBe(1)
    expect(unwrapped(stderr)).toContain('. is a folder. Name the file of your copy with --database.')
  })

  it('the database of another program is not changed', async () => {
    const cwd = await temporaryFolder()
    const { DatabaseSync } = await import('node:sqlite')
    const database = new DatabaseSync(join(cwd, 'notes.db'))
    database.exec('CREATE TABLE recipes (name TEXT)')
    const { exitCode, stderr } = await runNotewire(['status'], { cwd })
    expect([exitCode, unwrapped(stderr)]).toEqual([1, expect.stringContaining('contains no copy of your notes yet')])
    expect(database.prepare('SELECT name FROM sqlite_master').all()).toEqual([{ name: 'recipes' }])
    database.close()
  })
})

describe('a copy in a folder that cannot be written, on a file system that can', () => {
  it.each([['search', 'biscuits'], ['status'], ['export', '-', '--format', 'jsonl']])(
    '%s does not read it, and reads a copy of the file in another folder',
    async (...args) => {
      const { cwd } = await withBudget()
      const { under } = await readOnlyFolder(cwd)
      const refused = await runNotewire(args, { cwd, under })
      expect({ exitCode: refused.exitCode, stdout: refused.stdout }).toEqual({ exitCode: 1, stdout: '' })
      expect(unwrapped(refused.stderr)).toMatch(/copy the database, .*to another folder.*\[database_readonly\]/)

      const other = await temporaryFolder()
      await copyFile(join(cwd, 'notes.db'), join(other, 'notes.db'))
      const { exitCode, stdout, stderr } = await runNotewire(args, { cwd: other, under })
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
      expect(stdout).not.toBe('')
    },
  )
})

describe('search', () => {
  it('shows date, title, a snippet with the words, and the id, at most 80 columns wide', async () => {
    const { cwd, note } = await withBudget()
    const { exitCode, stdout } = await runNotewire(['search', 'biscuits'], { cwd })
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(new RegExp(`^\\d{4}-\\d\\d-\\d\\d {2}Budget\n {2}…?.*biscuits.*…?\n {2}${note.note_id}\n$`))
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  it('accepts the beginning of the last word, and highlights the whole word', async () => {
    const { cwd, note } = await withBudget()
    expect(await idsOf(['bisc'], cwd)).toEqual([note.note_id])
    expect(await idsOf(['biscuits', 'budg'], cwd)).toEqual([note.note_id])
    expect(await idsOf(['budg', 'biscuits'], cwd)).toEqual([])
    const { stdout } = await startInTerminal(['search', 'bisc'], { cwd, env: { TERM: 'xterm' } }).ended
    expect(stdout.replaceAll('\u001b', 'ESC')).toMatch(/ESC\[1mbiscuitsESC\[/)
  })

  it('does not find the words of a deleted note, or of a former title', async () => {
    const { cwd, env, service, note } = await withBudget()
    const other = service.owner.record({ title: 'Zeppelin' }).end({ summary: false })
    await runNotewire(['pull'], { cwd, env })
    expect(await idsOf(['Zeppelin'], cwd)).toEqual([other.note_id])
    other.edit({ title: 'Balloon' })
    note.delete()
    await runNotewire(['pull', '--full-listing'], { cwd, env })
    expect(await idsOf(['Zeppelin'], cwd)).toEqual([])
    expect(await idsOf(['biscuits'], cwd)).toEqual([])
    expect(await idsOf(['balloon'], cwd)).toEqual([other.note_id])
  })

  it('ends with 0 and a message if no note contains all words', async () => {
    const { cwd } = await withBudget()
    const { exitCode, stdout, stderr } = await runNotewire(['search', 'biscuits', 'xylophone'], { cwd })
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'No note contains all of these words.\n',
    })
  })

  it.each(['"', '*', 'NEAR(', "' OR 1=1 --", 'a\u0301', '-budget', 'title:x'])(
    'searches for %j without an error',
    async (words) => {
      const { cwd } = await withBudget()
      const { exitCode, stderr } = await runNotewire(['search', '--json', '--', words], { cwd })
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    },
  )

  it('prints no control characters of a note', async () => {
    const { service, env, cwd } = await prepared(0)
    service.owner
      .record({ title: 'Evil \u001b[2J\u0007', content: 'x \u001b]0;owned\u0007 evil' })
      .end({ summary: false })
    await runNotewire(['pull'], { cwd, env })
    const { stdout } = await runNotewire(['search', 'evil'], { cwd })
    expect(stdout).toContain('Evil')
    expect(stdout).not.toMatch(/[^\P{Cc}\n]/u)
  })

  it('highlights the word in a terminal, and ends without an error when its stdout is closed', async () => {
    const { cwd } = await withBudget()
    const { stdout } = await startInTerminal(['search', 'biscuits'], { cwd, env: { TERM: 'xterm' } }).ended
    expect(stdout.replaceAll('\u001b', 'ESC')).toMatch(/ESC\[1mbiscuitsESC\[/)
    const running = startNotewire(['search', 'the', '--limit', '1000'], { cwd })
    running.child.stdout?.destroy()
    expect(await running.ended).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('error') })
  })

  it('without words ends with 2', async () => {
    expect((await runNotewire(['search'])).exitCode).toBe(2)
  })
})

describe('explain', () => {
  it('explains why a note is in the copy', async () => {
    const { cwd, note } = await withBudget()
    const { exitCode, stdout } = await runNotewire(['explain', note.note_id], { cwd })
    expect(exitCode).toBe(0)
    expect(unwrapped(stdout)).toMatch(
      /live Budget It is shown, at revision \d+\. Last checked .* Its content is that of revision/,
    )
  })

  it('with --json prints the state of a removed note without its content', async () => {
    const { cwd, env, note } = await withBudget()
    note.delete()
    await runNotewire(['pull', '--full-listing'], { cwd, env })
    const { exitCode, stdout, stderr } = await runNotewire(['explain', note.note_id, '--json'], { cwd })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({ note_id: note.note_id, presence: 'gone', state: { presence: 'gone' } })
    expect(stdout).not.toContain('biscuits')
  })

  it('ends with 1 for an unknown note', async () => {
    const { cwd } = await withBudget()
    const { exitCode, stdout } = await runNotewire(['explain', 'note_absent'], { cwd })
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('unknown') })
  })
})

describe('status', () => {
  it('shows the number of notes and that deletions were not checked, and ends with 0', async () => {
    const { cwd } = await withBudget()
    const { exitCode, stdout, stderr } = await runNotewire(['status'], { cwd })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(unwrapped(stdout)).toMatch(
      /notes\.db contains 3 notes\. Unannounced deletions .*notewire pull --full-listing.* No event has arrived yet/,
    )
  })

  it('shows since when the copy is correct, after a full listing', async () => {
    const { cwd, env } = await withBudget()
    const before = Date.now()
    await runNotewire(['pull', '--full-listing'], { cwd, env })
    const { stdout } = await runNotewire(['status', '--json'], { cwd })
    const { correct_as_of, ...status } = JSON.parse(stdout)
    expect(status).toMatchObject({ database: 'notes.db', ok: true, notes: { live: 3 }, held: [], silence: null })
    // The service's header Date is in whole seconds.
    expect(Date.parse(correct_as_of)).toBeGreaterThan(before - 1_000)
  })

  it('ends with 1 and the next step while notes have not been read', async () => {
    const { service, env, cwd } = await prepared(2)
    service.faults.inject({ request: 'GET /v1/notes/*/summary', fault: { kind: 'status', status: 503 } })
    expect((await runNotewire(['pull', '--wait', '0'], { cwd, env })).exitCode).toBe(1)
    const { exitCode, stdout } = await runNotewire(['status'], { cwd })
    expect(unwrapped(stdout)).toContain('still to be read')
    expect(exitCode).toBe(1)
    expect(JSON.parse((await runNotewire(['status', '--json'], { cwd })).stdout)).toMatchObject({ ok: false })
  })

  it('ends with 1 and the next step while the first pull has not ended', async () => {
    const { service, env, cwd } = await prepared(250)
    service.faults.inject({ request: 'GET /v1/notes', calls: [3, 4, 5, 6], fault: { kind: 'status', status: 503 } })
    expect((await runNotewire(['pull'], { cwd, env })).exitCode).toBe(5)
    const { exitCode, stdout } = await runNotewire(['status'], { cwd })
    expect([exitCode, unwrapped(stdout)]).toEqual([1, expect.stringContaining('The first pull has not ended')])
  })
})

/** A copy of three notes, of which one contains unique words. */
async function withBudget() {
  const found = await prepared(2)
  const content = `${'Before it. '.repeat(20)}Bring biscuits to the meeting. ${'After it. '.repeat(20)}`
  const note = found.service.owner.record({ title: 'Budget', content }).end({ summary: false })
  await runNotewire(['pull'], found)
  return { ...found, note }
}

async function idsOf(words: readonly string[], cwd: string): Promise<readonly string[]> {
  const { stdout } = await runNotewire(['search', ...words, '--json'], { cwd })
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line).note_id))
}

describe('several integrations in one file', () => {
  it('have separate copies, which every command reads with --integration', async () => {
    const { cwd, env, service, note } = await withBudget()
    const acme = service.createOwner({ name: 'acme' })
    const other = acme.record({ title: 'Zeppelin' }).end({ summary: false })
    const ofAcme = { cwd, env: { ...env, NOTES_API_KEY: acme.apiKey, NOTEWIRE_INTEGRATION: 'acme' } }
    const pulled = await runNotewire(['pull', '--json'], ofAcme)
    expect(JSON.parse(pulled.stdout)).toMatchObject({ database: 'notes.db', integration: 'acme', notes: 3, added: 3 })

    expect(await idsOf(['biscuits'], cwd)).toEqual([note.note_id])
    expect(await idsOf(['zeppelin'], cwd)).toEqual([])
    expect(await idsOf(['zeppelin', '--integration', 'acme'], cwd)).toEqual([other.note_id])
    expect((await runNotewire(['explain', other.note_id], { cwd })).exitCode).toBe(1)
    expect((await runNotewire(['explain', other.note_id], ofAcme)).exitCode).toBe(0)
    const { stdout } = await runNotewire(['status', '--integration', 'acme'], { cwd })
    expect(unwrapped(stdout)).toContain('notes.db (integration acme) contains 3 notes.')
    const exported = await runNotewire(['export', '-', '--format', 'jsonl', '--integration', 'acme'], { cwd })
    expect(exported.stdout.split('\n')).toHaveLength(3 + 1)
    expect(exported.stdout).toContain(other.note_id)
  })

  it('explains how to create the copy of an integration that has none', async () => {
    const { cwd } = await withBudget()
    const { exitCode, stderr } = await runNotewire(['status', '--integration', 'acme'], { cwd })
    expect(exitCode).toBe(1)
    expect(unwrapped(stderr)).toContain(
      'notes.db contains no copy of the integration acme, only of default. Name one of these with --integration, or create the copy: notewire pull --integration acme',
    )
  })

  it.each(['..', 'a/b', '', 'x'.repeat(129)])('rejects the id %j', async (id) => {
    const { exitCode, stderr } = await runNotewire(['status', '--integration', id])
    expect(exitCode).toBe(2)
    expect(unwrapped(stderr)).toContain('1 to 128 of the characters')
  })
})
