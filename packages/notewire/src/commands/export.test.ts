import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { NotesClient } from '@notewire/client'
import type { Mirror } from '@notewire/mirror'
import type { NotesService } from '@notewire/mock-server'
import { systemClock } from '@notewire/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { jsonLines } from '../../fixtures/json-lines.ts'
import { cleanUp } from '../../fixtures/leftovers.ts'
import { notesIn, notesOf } from '../../fixtures/local-copy.ts'
import { prepared } from '../../fixtures/prepared.ts'
import { readOnlyFolder } from '../../fixtures/read-only-folder.ts'
import { runNotewire, startNotewire } from '../../fixtures/run-notewire.ts'
import { enlarge, mounts, tinyDisk } from '../../fixtures/tiny-disk.ts'
import { unwrapped } from '../../fixtures/unwrapped.ts'
import { keepCopy } from '../local-copy/local-copy.ts'
import { exportFolder } from './export/export-folder.ts'

afterEach(cleanUp)

const CRASH = join(import.meta.dirname, '../../fixtures/crash-at-step.ts')

describe('export', () => {
  it('with --pull creates a folder of Markdown, and updates it the next time', async () => {
    const { service, env, cwd } = await prepared(5)
    const first = await runNotewire(['export', 'notes', '--pull'], { cwd, env })
    expect({ exitCode: first.exitCode, stderr: first.stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(first.stdout).toMatch(/✓ 5 notes in notes\.db\n.*\n✓ 5 files in notes: 5 written, 0 removed, in [\d.]+ s\n$/)
    const [note, gone] = service.owner.notes()
    note?.edit({ title: 'Élan vital' })
    gone?.delete()
    const before = await markdownIn(join(cwd, 'notes'))
    const second = await runNotewire(['export', 'notes', '--pull', '--json'], { cwd, env })
    expect(JSON.parse(second.stdout)).toMatchObject({
      target: 'notes',
      format: 'markdown',
      files: 4,
      written: 1,
      removed: 1,
    })
    const after = await markdownIn(join(cwd, 'notes'))
    expect([...after.keys()].filter((name) => !before.has(name))).toEqual([expect.stringMatching(/-élan-vital--/)])
    expect(after.size).toBe(4)
  })

  it.each([[['notes']], [['notes.jsonl', '--format', 'jsonl']], [['-', '--format', 'jsonl']], [['notes', '--json']]])(
    'of an incomplete copy says what is missing, and ends with 1: %j',
    async (args) => {
      const { service, env, cwd } = await prepared(6)
      service.faults.inject({ request: 'GET /v1/notes/*/transcript', fault: { kind: 'status', status: 503 } })
      await runNotewire(['pull', '--wait', '0'], { cwd, env })
      const { exitCode, stdout, stderr } = await runNotewire(['export', ...args], { cwd })
      expect(exitCode).toBe(1)
      expect(unwrapped(stderr)).toContain('6 notes are still to be read')
      if (args.includes('--json')) expect(JSON.parse(stdout)).toMatchObject({ files: 6, complete: false })
    },
  )

  it.each([
    ['a recording is pending', (service: NotesService) => void service.owner.record({ title: 'Now' })],
    ['there is no summary', (service: NotesService) => void service.owner.record({}).end({ summary: false })],
  ])('is complete if %s', async (_why, act) => {
    const { service, env, cwd } = await prepared(1)
    act(service)
    await runNotewire(['pull'], { cwd, env })
    const { exitCode, stderr } = await runNotewire(['export', 'notes'], { cwd })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  })

  it('removes the file of a note that a full listing has removed', async () => {
    const { service, env, cwd } = await prepared(3)
    await runNotewire(['export', 'notes', '--pull'], { cwd, env })
    service.owner.notes()[0]?.moveTo(service.owner.createChannel('Elsewhere'))
    await runNotewire(['pull', '--full-listing'], { cwd, env })
    await runNotewire(['export', 'notes'], { cwd })
    expect((await markdownIn(join(cwd, 'notes'))).size).toBe(2)
  })

  it('does not make a folder with the name of a file of JSON Lines', async () => {
    const { env, cwd } = await prepared(1)
    const { exitCode, stderr } = await runNotewire(['export', 'notes.jsonl', '--pull'], { cwd, env })
    expect([exitCode, unwrapped(stderr)]).toEqual([2, expect.stringContaining('Pass --format jsonl')])
  })

  it('sends no request to the service, and needs no key', async () => {
    const { service, env, cwd } = await prepared(2)
    await runNotewire(['pull'], { cwd, env })
    const before = service.requests.length
    expect((await runNotewire(['export', 'notes'], { cwd })).exitCode).toBe(0)
    expect(service.requests.length).toBe(before)
  })

  it('that is killed before any step leaves at most one file of each note, and the next completes the folder', async () => {
    const { service, env, cwd } = await prepared(4)
    const folder = join(cwd, 'notes')
    const crashingAt = (step: number) => ({
      CRASH_AT: String(step),
      CRASH_FOLDER: folder,
      NODE_OPTIONS: `--import=${CRASH}`,
    })
    await runNotewire(['export', 'notes', '--pull'], { cwd, env })
    let steps = Number.POSITIVE_INFINITY
    let crashes = 0
    for (let step = 1; step <= steps; step += 1) {
      const [retitled, edited, gone] = service.owner.notes()
      retitled?.edit({ title: `Title ${step}` })
      edited?.edit({ content: `Content ${step}` })
      gone?.delete()
      service.owner.record({ title: `New ${step}` }).end({ summary: false })
      await inCopy(service, cwd, async (mirror) => void (await mirror.sync()))
      const { exitCode } = await runNotewire(['export', 'notes'], { cwd, env: crashingAt(step) })
      if (exitCode === null) crashes += 1
      else steps = Number(await readFile(`${folder}.steps`, 'utf8'))
      const ids = [...(await markdownIn(folder)).values()].map(noteIdIn)
      expect(new Set(ids).size, `two files of a note, killed before step ${step}`).toBe(ids.length)

      const anew = join(cwd, `anew-${step}`)
      await inCopy(service, cwd, async (mirror) => {
        for (const each of [folder, anew]) await exportFolder(mirror, { ...IN_PROCESS, folder: each })
      })
      expect(await markdownIn(folder), `killed before step ${step}`).toEqual(await markdownIn(anew))
      expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([])
    }
    expect(crashes).toBeGreaterThan(10)
  })

  it('that is interrupted by Ctrl-C ends with 130, and the next completes the folder', async () => {
    const { env, cwd } = await prepared(300)
    await runNotewire(['pull'], { cwd, env })
    const running = startNotewire(['export', 'notes'], { cwd })
    while (!(await readdir(cwd)).includes('notes') || (await markdownIn(join(cwd, 'notes'))).size < 10);
    running.child.kill('SIGINT')
    expect((await running.ended).exitCode).toBe(130)
    expect((await runNotewire(['export', 'notes'], { cwd })).exitCode).toBe(0)
    expect((await markdownIn(join(cwd, 'notes'))).size).toBe(300)
  })

  it('to a read-only folder ends with 1 and an explanation', async () => {
    const { env, cwd } = await prepared(2)
    await runNotewire(['pull'], { cwd, env })
    const folder = join(cwd, 'notes')
    await mkdir(folder)
    const { under } = await readOnlyFolder(folder)
    const { exitCode, stderr } = await runNotewire(['export', 'notes'], { cwd, under })
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('permission denied') })
  })

  it('to a full disk ends with 1 and an explanation, and can continue when there is space', mounts(), async () => {
    const { env, cwd } = await prepared(100)
    await runNotewire(['pull'], { cwd, env })
    const disk = await tinyDisk(join(cwd, 'disk'), '100k')
    const { exitCode, stderr } = await runNotewire(['export', 'disk/notes'], { cwd })
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('the disk is full') })
    enlarge(disk, '16m')
    expect((await runNotewire(['export', 'disk/notes'], { cwd })).exitCode).toBe(0)
    expect((await markdownIn(join(disk, 'notes'))).size).toBe(100)
  })

  it('to a path that cannot be a folder ends with 1 and an explanation', async () => {
    const { env, cwd } = await prepared(1)
    await runNotewire(['pull'], { cwd, env })
    const file = await runNotewire(['export', 'notes.db'], { cwd })
    expect(file).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('notes.db is a file, and Markdown') })
    // The system allows no folder in /proc, and reports that in an unusual way.
    expect(await runNotewire(['export', '/proc/notewire/notes'], { cwd })).toMatchObject({ exitCode: 1 })
  })

  it.each([
    [['export', '-'], 'Markdown is written to a folder'],
    [['export', 'notes.jsonl', '--format', 'jsonl', '--after', 'x:1'], '--after goes with JSON Lines on stdout'],
  ])('%j ends with 2', async (args, complaint) => {
    const { exitCode, stderr } = await runNotewire(args)
    expect([exitCode, unwrapped(stderr)]).toEqual([2, expect.stringContaining(complaint)])
  })
})

describe('export --format jsonl', () => {
  it('rejects a malformed --after', async () => {
    const { env, cwd } = await prepared(1)
    await runNotewire(['pull'], { cwd, env })
    const { exitCode, stderr } = await runNotewire(['export', '-', '--format', 'jsonl', '--after', '7f'], { cwd })
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('the given position is not the position of a change'),
    ])
  })

  it('writes one line for each note with its content, to a file with mode 600, and replaces it the next time', async () => {
    const { service, env, cwd } = await prepared(3)
    const args = ['export', 'notes.jsonl', '--format', 'jsonl']
    await runNotewire([...args, '--pull'], { cwd, env })
    const lines = async (): Promise<Line[]> => jsonLines(await readFile(join(cwd, 'notes.jsonl'), 'utf8'))
    expect((await lines()).map(({ note, summary, transcript }) => ({ note, summary, transcript })).sort(byId)).toEqual(
      (await notesOf(service)).map(({ note, summary, transcript }) => ({ note, summary, transcript })),
    )
    expect((await lines()).map(({ change, complete }) => [change, complete])).toEqual(Array(3).fill(['added', true]))
    expect((await stat(join(cwd, 'notes.jsonl'))).mode & 0o777).toBe(0o600)
    service.owner.notes()[0]?.delete()
    await runNotewire(['pull', '--full-listing'], { cwd, env })
    await runNotewire(args, { cwd })
    expect(await lines()).toHaveLength(2)
    expect(await readdir(cwd)).toEqual(['notes.db', 'notes.jsonl'])
  })

  it('to stdout prints the changes after a position, including deletions', async () => {
    const { service, env, cwd } = await prepared(3)
    await runNotewire(['pull'], { cwd, env })
    const all = await runNotewire(['export', '-', '--format', 'jsonl'], { cwd })
    expect(all.stderr).toBe('')
    const [edited, gone] = service.owner.notes()
    edited?.edit({ title: 'Another' })
    gone?.delete()
    await runNotewire(['pull'], { cwd, env })
    const args = ['export', '-', '--format', 'jsonl', '--after', jsonLines(all.stdout).at(-1).position]
    const news: Line[] = jsonLines((await runNotewire(args, { cwd })).stdout)
    expect(news.map(({ change, note_id }) => [change, note_id]).sort()).toEqual([
      ['content', edited?.note_id],
      ['removed', gone?.note_id],
    ])
    expect(news.find(({ change }) => change === 'content')?.note?.title).toBe('Another')
  })

  it('does not overwrite a file that export did not write', async () => {
    const { env, cwd } = await prepared(1)
    await runNotewire(['pull'], { cwd, env })
    await writeFile(join(cwd, 'diary.txt'), 'Dear diary')
    const notes = await notesIn(join(cwd, 'notes.db'))
    for (const name of ['diary.txt', 'notes.db']) {
      expect((await runNotewire(['export', name, '--format', 'jsonl'], { cwd })).exitCode).toBe(1)
    }
    expect(await readFile(join(cwd, 'diary.txt'), 'utf8')).toBe('Dear diary')
    expect(await notesIn(join(cwd, 'notes.db'))).toEqual(notes)
  })

  it('ends without an error when its stdout is closed', async () => {
    const { env, cwd } = await prepared(300)
    await runNotewire(['pull'], { cwd, env })
    const running = startNotewire(['export', '-', '--format', 'jsonl'], { cwd })
    await running.saw(/"change"/)
    running.child.stdout?.destroy()
    const { exitCode, stderr } = await running.ended
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  })
})

const IN_PROCESS = {
  integration: 'default',
  shown: 'notes',
  signal: new AbortController().signal,
  onProgress: () => undefined,
}

/** Opens the copy in this process, because starting the program takes most of the time of a run. */
async function inCopy({ baseUrl, apiKey, fetch }: NotesService, cwd: string, work: (mirror: Mirror) => Promise<void>) {
  const client = new NotesClient({ baseUrl, apiKey, fetch })
  const shown = 'notes.db'
  const file = { shown, label: shown, absolute: join(cwd, shown), integration: 'default', pull: 'notewire pull' }
  await keepCopy(file, { client, agrees: async () => true }, { clock: systemClock }, ({ mirror }) => work(mirror))
}

async function markdownIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.md')).sort()
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)),
  )
}

function noteIdIn(page: string): string {
  return /^note_id: "(.*)"$/m.exec(page)?.[1] ?? ''
}

interface Line {
  readonly change: string
  readonly note_id: string
  readonly position: string
  readonly complete: boolean
  readonly note: { readonly note_id: string; readonly title: string }
  readonly summary: object
  readonly transcript: object
}

function byId(one: Pick<Line, 'note'>, other: Pick<Line, 'note'>): number {
  return one.note.note_id < other.note.note_id ? -1 : 1
}
