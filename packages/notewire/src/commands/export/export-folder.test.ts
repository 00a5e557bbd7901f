import { copyFile, readdir, readFile, rename, stat, symlink, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { NotesClient } from '@notewire/client'
import { createMirror, type Mirror } from '@notewire/mirror'
import { createNotesService, type NotesService } from '@notewire/mock-server'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { memoryMirror } from '../../../../mirror/fixtures/memory-mirror/memory-mirror.ts'
import { HOSTILE_TITLES } from '../../../fixtures/hostile-titles.ts'
import { cleanUp } from '../../../fixtures/leftovers.ts'
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts'
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
          await found.mirror.sync({ fullListing: 'now' })
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

  it('keeps the files of another integration', async () => {
    await using acme = await mirrored(3)
    await using globex = await mirrored(3, 2)
    const folder = await temporaryFolder()
    await exported(acme.mirror, folder, 'acme')
    const ofAcme = await filesIn(folder)
    expect(await exported(globex.mirror, folder, 'globex')).toMatchObject({ files: 3, written: 3, removed: 0 })
    for (const note of globex.service.owner.notes()) note.delete()
    await globex.mirror.sync({ fullListing: 'now' })
    expect(await exported(globex.mirror, folder, 'globex')).toMatchObject({ files: 0, removed: 3 })
    expect(await filesIn(folder)).toEqual(ofAcme)
  })

  it('gets only files that differ from their notes', async () => {
    await using found = await mirrored(5)
    const folder = await temporaryFolder()
    expect(await exported(found.mirror, folder)).toMatchObject({ files: 5, written: 5, removed: 0 })
    expect(await exported(found.mirror, folder)).toMatchObject({ files: 5, written: 0, removed: 0 })
    found.service.owner.notes()[0]?.edit({ content: 'Another' })
    await found.mirror.sync()
    expect(await exported(found.mirror, folder)).toMatchObject({ files: 5, written: 1, removed: 0 })
    const before = await filesIn(folder)
    const [name = '', page = ''] = [...before][0] ?? []
    await writeFile(join(folder, name), page.replace(/^note_id: "(.*)"$/m, 'tags: [mine]\nnote_id: $1'))
    expect(await exported(found.mirror, folder)).toMatchObject({ files: 5, written: 1, removed: 0 })
    expect(await filesIn(folder)).toEqual(before)
  })

  it('keeps files that export did not write', async () => {
    await using found = await mirrored(3)
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'mine.md'), 'mine')
    await writeFile(join(folder, '2026-01-05-mine--00000000.md'), '---\nnote_id: "note_1"\n---\nmine, too')
    await exported(found.mirror, folder)
    for (const note of found.service.owner.notes()) note.delete()
    await found.mirror.sync({ fullListing: 'now' })
    await exported(found.mirror, folder)
    await exported(found.mirror, folder)
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

  it('has one file of each note again after the user renamed one, copied one, and named one in upper case', async () => {
    await using found = await mirrored(3)
    const folder = await temporaryFolder()
    await exported(found.mirror, folder)
    const before = await filesIn(folder)
    const [one = '', two = '', three = ''] = before.keys()
    const elsewhere = (name: string, title: string) => join(folder, name.replace(/(?<=^.{11}).*(?=--)/, title))
    await rename(join(folder, one), elsewhere(one, 'mine'))
    await copyFile(join(folder, two), elsewhere(two, 'copy'))
    await rename(
      join(folder, three),
      join(
        folder,
        three.replace(/.*(?=--)/, (words) => words.toUpperCase()),
      ),
    )
    await exported(found.mirror, folder)
    const after = [...(await filesIn(folder)).keys()].map((name) =>
      name.replace(/.*(?=--)/, (words) => words.toLowerCase()),
    )
    expect(after.sort()).toEqual([one, two, three].sort())
  })

  it('never follows or replaces a link', async () => {
    await using found = await mirrored(1)
    const [folder, target] = [await temporaryFolder(), join(await temporaryFolder(), 'target')]
    await exported(found.mirror, folder)
    const [[name = '', page = ''] = []] = await filesIn(folder)
    await rename(join(folder, name), target)
    await symlink(target, join(folder, name))
    await expect(exported(found.mirror, folder)).rejects.toMatchObject({ code: 'export_in_the_way' })
    found.service.owner.notes()[0]?.delete()
    await found.mirror.sync({ fullListing: 'now' })
    expect(await exported(found.mirror, folder)).toMatchObject({ removed: 0 })
    expect(await readdir(folder)).toEqual([name])
    expect(await readFile(target, 'utf8')).toBe(page)
  })

  it('is complete after two exports at once and one more', async () => {
    await using found = await mirrored(60)
    const [folder, other] = [await temporaryFolder(), await temporaryFolder()]
    await exported(found.mirror, folder)
    for (const note of found.service.owner.notes()) note.edit({ title: 'Another' })
    await found.mirror.sync()
    await Promise.all([exported(found.mirror, folder), exported(found.mirror, folder)])
    await exported(found.mirror, folder)
    await exported(found.mirror, other)
    expect(await filesIn(folder)).toEqual(await filesIn(other))
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
  const mirror = createMirror({ client, store: memoryMirror({ clock }) })
  await mirror.sync()
  return { service, mirror, [Symbol.asyncDispose]: () => service.close() }
}

function exported(mirror: Mirror, folder: string, integration = 'default') {
  const { signal } = new AbortController()
  return exportFolder(mirror, { folder, integration, shown: 'notes', signal, onProgress: () => undefined })
}

async function filesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(folder)).sort()
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
