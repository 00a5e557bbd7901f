import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import { CLOSED_PORT } from '../fixtures/closed-port.ts'
import { cleanUp } from '../fixtures/leftovers.ts'
import { prepared } from '../fixtures/prepared.ts'
import { type RunOptions, runNotewire } from '../fixtures/run-notewire.ts'
import { unwrapped } from '../fixtures/unwrapped.ts'

afterEach(cleanUp)

const EQUAL = { different: [], behind: [] }

describe('status --verify', () => {
  it('compares a sample or all notes with GET requests only, reports no difference, and exits with 0', async () => {
    const { service, ...run } = await pulled(60)
    const before = service.requests.length
    const { exitCode, stdout, stderr } = await runNotewire(['status', '--verify'], run)
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toContain('50 notes were compared with the service.')
    const sample = service.requests.slice(before)
    expect(new Set(sample.map(({ method }) => method))).toEqual(new Set(['GET']))
    expect(new Set(sample.map(({ path }) => /note_\w+/.exec(path)?.[0])).size).toBe(50)
    expect(await compared(['7'], run)).toEqual({ exitCode: 0, ok: true, compared: 7, ...EQUAL })
    expect(await compared(['--all'], run)).toEqual({ exitCode: 0, ok: true, compared: 60, ...EQUAL })
  })

  it.each([
    ['title', "UPDATE notewire_mirror_content SET title = 'zanzibar' WHERE row_id = 2"],
    ['content', "UPDATE notewire_mirror_content SET content = 'zanzibar' WHERE row_id = 2"],
    ['transcript', "UPDATE notewire_mirror_content SET transcript = 'zanzibar' WHERE row_id = 2"],
    ['summary', "UPDATE notewire_mirror_content SET summary = 'zanzibar' WHERE row_id = 2"],
    ['status', "UPDATE notewire_mirror_content SET record = json_set(record, '$.status', 'zanzibar') WHERE row_id = 2"],
    ['revision', "UPDATE notewire_mirror_content SET record = json_set(record, '$.revision', 1) WHERE row_id = 2"],
    ['revision', "UPDATE notewire_mirror_content SET record = json_set(record, '$.revision', 9) WHERE row_id = 2"],
    ['presence', "UPDATE notewire_mirror_notes SET note_id = 'note_zanzibar' WHERE row_id = 2"],
  ])(
    'reports the note and the field that differs, without its content, and exits with 1: %s',
    async (field, change) => {
      const run = await pulled(3)
      const noteId = alter(run.database, change)
      const { exitCode, stdout } = await runNotewire(['status', '--verify'], run)
      expect(exitCode).toBe(1)
      expect(stdout).toContain(`! Notes that differ from the service: 1 of 3.\n  ${noteId}: ${field}\n`)
      expect(stdout.replace(noteId, '')).not.toContain('zanzibar')
      expect(await compared([], run)).toEqual({
        exitCode: 1,
        ok: false,
        compared: 3,
        different: [{ note_id: noteId, fields: [field] }],
        behind: [],
      })
    },
  )

  it('reports a note that is missing in the copy only with --all', async () => {
    const run = await pulled(3)
    const noteId = alter(run.database, 'DELETE FROM notewire_mirror_notes WHERE row_id = 2')
    expect(await compared([], run)).toMatchObject({ exitCode: 0, compared: 2 })
    const different = [{ note_id: noteId, fields: ['presence'] }]
    expect(await compared(['--all'], run)).toMatchObject({ exitCode: 1, compared: 3, different })
  })

  it('reports changes after the last poll separately, not as differences', async () => {
    const { service, ...run } = await pulled(3)
    const [edited, deleted] = service.owner.notes()
    edited?.edit({ title: 'zanzibar' })
    deleted?.delete()
    const added = service.owner.record().end({ summary: false })
    const found = await compared(['--all'], run)
    expect(found).toMatchObject({ exitCode: 0, ok: true, compared: 4, different: [] })
    expect(found.behind).toHaveLength(3)
    expect(found.behind).toContainEqual({ note_id: edited?.note_id, fields: ['revision', 'title'] })
    expect(found.behind).toContainEqual({ note_id: deleted?.note_id, fields: ['presence'] })
    expect(found.behind).toContainEqual({ note_id: added.note_id, fields: ['presence'] })
    const { stdout } = await runNotewire(['status', '--verify'], run)
    expect(unwrapped(stdout)).toContain('2 of them changed there after the last poll.')
    await runNotewire(['pull'], run)
    expect(await compared(['--all'], run)).toMatchObject({ exitCode: 0, compared: 3, ...EQUAL })
  })

  it('reports a note that the key can no longer access as a difference, until a full scan hides it', async () => {
    const { service, ...run } = await pulled(3)
    service.owner.notes()[0]?.moveTo(service.owner.createChannel('Elsewhere'))
    expect(await compared([], run)).toMatchObject({ exitCode: 1, different: [{ fields: ['presence'] }] })
    await runNotewire(['pull', '--scan'], run)
    expect(await compared(['--all'], run)).toMatchObject({ exitCode: 0, compared: 2, ...EQUAL })
  })

  it.each([
    ['another key', 3, 'was created with the API key', (other: string) => ({ NOTES_API_KEY: other })],
    ['a rejected key', 4, '401', () => ({ NOTES_API_KEY: 'ntw_live_GinosjxGpNVh.wrong' })],
    ['no service', 5, 'ECONNREFUSED', () => ({ NOTES_BASE_URL: CLOSED_PORT })],
    ['no base URL', 3, '--base-url is missing', () => ({ NOTES_BASE_URL: '' })],
  ])('with %s exits with %i before it compares a note', async (_case, code, words, settings) => {
    const { service, env, cwd } = await pulled(1)
    const changed = { ...env, ...settings(service.createOwner().apiKey) }
    const { exitCode, stdout, stderr } = await runNotewire(['status', '--verify'], { cwd, env: changed })
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' })
    expect(unwrapped(stderr)).toContain(words)
  })

  it('rejects --all without --verify, and a sample of 0 notes', async () => {
    expect((await runNotewire(['status', '--all'])).exitCode).toBe(2)
    expect((await runNotewire(['status', '--verify', '0'])).exitCode).toBe(2)
  })
})

/** A copy of the given number of notes, which last changed long before the poll. */
async function pulled(notes: number) {
  const found = await prepared(notes)
  await runNotewire(['pull'], found)
  return found
}

/** Changes the file of the copy with SQL. @returns the ID of the note in row 2 */
function alter(file: string, change: string): string {
  const database = new DatabaseSync(file)
  const noteId = () => database.prepare('SELECT note_id FROM notewire_mirror_notes WHERE row_id = 2').get()?.['note_id']
  const before = noteId()
  database.exec(change)
  const changed = String(noteId() ?? before)
  database.close()
  return changed
}

async function compared(args: readonly string[], options: RunOptions) {
  const { exitCode, stdout } = await runNotewire(['status', '--json', '--verify', ...args], options)
  const { ok, comparison } = JSON.parse(stdout)
  return { exitCode, ok, ...comparison }
}
