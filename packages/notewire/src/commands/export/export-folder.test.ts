import { mkdir, readdir, readFile, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { NotesClient } from '@notewire/client'
import { createMirror, type Mirror } from '@notewire/mirror'
import { createNotesService, type NotesService } from '@notewire/mock-server'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { memoryMirror } from '../../../../mirror/src/fixtures/memory-mirror/memory-mirror.ts'
import { HOSTILE_TITLES } from '../../fixtures/hostile-titles.ts'
import { cleanUp } from '../../fixtures/leftovers.ts'
import { temporaryFolder } from '../../fixtures/temporary-folder.ts'
import { exportFolder } from './export-folder.ts'

afterEach(cleanUp)

describe('a folder', () => {
  it('has one file for each note with any title, and after changes equals a new export', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(anAct, { maxLength: 6 }), { minLength: 1, maxLength: 4 }), async (days) => {
        await using found = await mirrored()
        const folder = join(await temporaryFolder(), 'notes')
        for (const acts of days) {
          for (const act of acts) perform(act, found.service)
          await found.mirror.sync({ scan: 'now' })
          await exported(found.mirror, folder)
          const files = await filesIn(folder)
          expect([...files.values()].map(noteIdIn).sort()).toEqual(await liveIds(found.mirror))
          const other = join(await temporaryFolder(), 'other')
          await exported(found.mirror, other)
          expect(files).toEqual(await filesIn(other))
        }
      }),
      { numRuns: 25 },
    )
  })

  it('has mode 700, and its files have mode 600', async () => {
    await using found = await mirrored(2)
    const folder = join(await temporaryFolder(), 'deep/notes')
    await exported(found.mirror, folder)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
  })

  it('gets only changed files, unless full is set', async () => {
    await using found = await mirrored(5)
    const folder = await temporaryFolder()
    expect(await exported(found.mirror, folder)).toMatchObject({ files: 5, written: 5, removed: 0 })
    expect(await exported(found.mirror, folder)).toMatchObject({ files: 5, written: 0, removed: 0 })
    found.service.owner.notes()[0]?.edit({ content: 'Another' })
    await found.mirror.sync()
    expect(await exported(found.mirror, folder)).toMatchObject({ files: 5, written: 1, removed: 0 })
    expect(await exported(found.mirror, folder, true)).toMatchObject({ files: 5, written: 5, removed: 0 })
  })

  it('keeps files that export did not write', async () => {
    await using found = await mirrored(3)
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'mine.md'), 'mine')
    await writeFile(join(folder, '2026-01-05-mine--00000000.md'), 'mine, too')
    await exported(found.mirror, folder)
    for (const note of found.service.owner.notes()) note.delete()
    await found.mirror.sync({ scan: 'now' })
    await exported(found.mirror, folder)
    await exported(found.mirror, folder, true)
    expect([...(await filesIn(folder)).keys()]).toEqual(['2026-01-05-mine--00000000.md', 'mine.md'])
  })

  it('is not changed if export would overwrite a file that it did not write', async () => {
    await using found = await mirrored(1)
    const elsewhere = await temporaryFolder()
    await exported(found.mirror, elsewhere)
    const [name = ''] = (await filesIn(elsewhere)).keys()
    const folder = await temporaryFolder()
    await writeFile(join(folder, name), 'mine')
    await expect(exported(found.mirror, folder)).rejects.toMatchObject({ code: 'export_in_the_way' })
    expect(await readFile(join(folder, name), 'utf8')).toBe('mine')
  })

  it('gets files that the user removed back with the next export', async () => {
    await using found = await mirrored(3)
    const folder = await temporaryFolder()
    await exported(found.mirror, folder)
    const before = await filesIn(folder)
    await unlink(join(folder, [...before.keys()][1] ?? ''))
    expect(await exported(found.mirror, folder)).toMatchObject({ written: 1 })
    expect(await filesIn(folder)).toEqual(before)
  })

  it('gets the files of another copy, and loses those of the former', async () => {
    await using former = await mirrored(3)
    await using found = await mirrored(4, 2)
    const folder = await temporaryFolder()
    await exported(former.mirror, folder)
    expect(await exported(found.mirror, folder)).toMatchObject({ files: 4, written: 4, removed: 3 })
  })

  it('is locked by an export until its process has ended', async () => {
    await using found = await mirrored(1)
    const folder = await temporaryFolder()
    await writeFile(join(folder, '.notewire-export.lock'), String(process.pid))
    await expect(exported(found.mirror, folder)).rejects.toMatchObject({ code: 'export_busy' })
    await writeFile(join(folder, '.notewire-export.lock'), '2147483646')
    await exported(found.mirror, folder)
    expect(await readdir(folder)).not.toContain('.notewire-export.lock')
  })

  it.each([
    ['is not JSON', '{'],
    ['is of a later version', '{"version":2,"position":null,"files":{}}'],
    ['contains a path outside the folder', '{"version":1,"position":null,"files":{"../../x.md":"note_1"}}'],
  ])('is rejected when its manifest %s', async (_fault, content) => {
    await using found = await mirrored(1)
    const folder = await temporaryFolder()
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, '.notewire-export.json'), content)
    await expect(exported(found.mirror, folder)).rejects.toMatchObject({ code: 'export_manifest_malformed' })
    expect(await readdir(folder)).toEqual(['.notewire-export.json'])
  })
})

type Act =
  | { readonly do: 'record' | 'edit'; readonly title: string; readonly which: number }
  | { readonly do: 'delete' | 'hide' | 'show'; readonly which: number }

const anyTitle = fc.oneof(fc.constantFrom(...HOSTILE_TITLES), fc.string({ unit: 'binary', maxLength: 30 }))
const which = fc.nat(20)
const anAct: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('record' as const), title: anyTitle, which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('edit' as const), title: anyTitle, which }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('delete' as const, 'hide' as const, 'show' as const), which }),
  },
)

function perform(act: Act, { owner }: NotesService): void {
  if (act.do === 'record') {
    owner
      .record({ title: act.title, content: act.title })
      .end({ transcript: [{ speaker: act.title, text: act.title }] })
    return
  }
  const notes = owner.notes()
  const note = notes[act.which % Math.max(1, notes.length)]
  if (note === undefined) return
  if (act.do === 'edit') note.edit({ title: act.title })
  else if (act.do === 'delete') note.delete()
  else note.moveTo(act.do === 'show' ? 'personal' : owner.createChannel('Elsewhere'))
}

async function mirrored(
  notes = 0,
  seed = 1,
): Promise<AsyncDisposable & { readonly service: NotesService; readonly mirror: Mirror }> {
  const service = await createNotesService({ notes, seed })
  const { baseUrl, apiKey, fetch, clock } = service
  const client = new NotesClient({ baseUrl, apiKey, fetch })
  const mirror = createMirror({ client, store: memoryMirror(), clock })
  await mirror.sync()
  return { service, mirror, [Symbol.asyncDispose]: () => service.close() }
}

function exported(mirror: Mirror, folder: string, full = false) {
  const { signal } = new AbortController()
  return exportFolder(mirror, { folder, shown: 'notes', full, signal, onProgress: () => undefined })
}

async function filesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.notewire-export.')).sort()
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)),
  )
}

function noteIdIn(page: string): string {
  return parse(page.split(/^---$/m)[1] ?? '').note_id
}

async function liveIds(mirror: Mirror): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const { note } of mirror.list()) ids.push(note.note_id)
  return ids.sort()
}
