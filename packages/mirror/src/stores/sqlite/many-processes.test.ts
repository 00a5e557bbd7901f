import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryPath } from 'notewire-test-servers'
import { expect, it, onTestFinished } from 'vitest'
import { reads } from '../../../fixtures/store-reads.ts'
import { startProcess } from '../../../fixtures/stores/sqlite/start-process.ts'
import { NO_PROGRESS } from '../../integrations/progress.ts'
import { openMirror } from '../../reader/mirror-reader.ts'
import { sqliteMirror } from './sqlite-mirror.ts'

const TIMES = 150

it('four processes on one file lose no change, and get different numbers', async () => {
  const path = temporaryPath(onTestFinished)
  const drivers = ['node:sqlite', 'better-sqlite3', 'node:sqlite', 'better-sqlite3']
  const processes = drivers.map((driver) => startProcess('count-on.ts', path, driver, String(TIMES)))
  const printing = processes.map(({ stdout }) => textOf(stdout))
  await Promise.all(processes.map(({ stdout }) => once(stdout, 'data')))
  await writeFile(`${path}.go`, '')
  const sequences = (await Promise.all(printing)).flatMap((text) => JSON.parse(text.split('\n')[1] ?? '') as number[])
  expect(new Set(sequences).size).toBe(sequences.length)
  // All have loaded the same version of the first note, so three of them had to load it again.
  expect(sequences.length).toBeGreaterThan(drivers.length * TIMES)
  const store = sqliteMirror(path)
  onTestFinished(() => store.close?.())
  const noteIds = Array.from({ length: 5 }, (_, index) => `note ${index}`)
  const { notes } = await store.load('default', noteIds)
  const each = (drivers.length * TIMES) / noteIds.length
  for (const noteId of noteIds) {
    expect(notes.get(noteId)).toMatchObject({ version: each, state: { attempts: each } })
  }
})

it('a writer that is killed at any time commits atomically', async () => {
  const path = temporaryPath(onTestFinished)
  let last = 0
  for (const driver of [
    'node:sqlite',
    'better-sqlite3',
    'node:sqlite',
    'better-sqlite3',
    'node:sqlite',
    'better-sqlite3',
  ]) {
    const writer = startProcess('write-together.ts', path, driver)
    const printing = textOf(writer.stdout)
    await once(writer.stdout, 'readable')
    await sleep(Math.random() * 300)
    writer.kill('SIGKILL')
    const acknowledged = Number((await printing).trimEnd().split('\n').at(-1))
    const written = await numberIn(path)
    // The killed writer may have committed once more without printing the number.
    expect([acknowledged, acknowledged + 1]).toContain(written)
    expect(written).toBeGreaterThan(last)
    last = written
  }
})

it('positions stay valid while two processes write and are killed, and others follow', async () => {
  const path = temporaryPath(onTestFinished)
  const store = sqliteMirror(path)
  onTestFinished(() => store.close?.())
  await store.migrate()
  await store.commit('default', { notes: [], progress: { ...NO_PROGRESS, copyId: 'copy' } })
  await writeFile(`${path}.go`, '')
  const mirror = openMirror({ store })
  const runs = new Set<string>()
  const read: string[] = []
  for (let round = 0; round < 4; round += 1) {
    const writers = ['node:sqlite', 'better-sqlite3'].map((driver) =>
      startProcess('count-on.ts', path, driver, '1000000'),
    )
    await Promise.all(writers.map(({ stdout }) => once(stdout, 'data')))
    for (let reads = 0; reads < 40; reads += 1) {
      for await (const { position } of mirror.changes({ after: read.at(-1) })) {
        read.push(position)
        runs.add(position.split(':')[1] ?? '')
        // The writers never stop, and a loop yields what they have written meanwhile.
        if (read.length % 50 === 0) break
      }
      await sleep(5)
    }
    for (const writer of writers) writer.kill('SIGKILL')
    await Promise.all(writers.map(async (writer) => writer.signalCode ?? (await once(writer, 'exit'))))
  }
  expect(read.length).toBeGreaterThan(100)
  expect(runs.size).toBeGreaterThan(4)
  const numbers = read.map((position) => Number(position.split(':').at(-1)))
  expect(numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0))).toBe(true)
  for (const after of read.filter((_, index) => index % 20 === 0)) {
    await mirror.changes({ after })[Symbol.asyncIterator]().next()
  }
})

async function textOf(output: AsyncIterable<unknown>): Promise<string> {
  let text = ''
  for await (const chunk of output) text += chunk
  return text
}

/** Reads the number of the last commit, and checks that all rows have it. */
async function numberIn(path: string): Promise<number> {
  const store = sqliteMirror(path)
  await store.migrate()
  const { progress, heardAt } = await store.readProgress('default')
  const number = heardAt ?? 0
  const noteIds = ['a', 'b', 'c', 'd', 'e']
  const { notes } = await store.load('default', noteIds)
  const listed = await reads(store).listNotes('default', '', 100)
  const found = await reads(store).search('default', [`number${number}`], 100)
  const changes = await reads(store).listChanges('default', 0, 100)
  await store.close?.()
  expect(progress.key).toEqual({ kind: 'key_id', keyId: String(number) })
  for (const noteId of noteIds) {
    expect(notes.get(noteId)).toMatchObject({ version: number, state: { revision: number } })
  }
  expect(listed.map(({ note }) => note?.title)).toEqual(noteIds.map(() => `number${number}`))
  expect(listed.map(({ transcript }) => transcript === null)).toEqual(noteIds.map(() => number % 3 === 0))
  expect(found.map(({ state }) => state.noteId).sort()).toEqual(noteIds)
  const first = changes[0]?.position ?? 0
  expect(changes.map(({ position }) => position)).toEqual(noteIds.map((_, index) => first + index))
  expectSound(path)
  return number
}

function expectSound(path: string): void {
  const database = new DatabaseSync(path)
  expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  // Compares the index with its content, and throws if they differ.
  database.exec("INSERT INTO notewire_mirror_search (notewire_mirror_search, rank) VALUES ('integrity-check', 1)")
  database.close()
}
