import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { MirrorStore, NoteWrite } from '@notewire/mirror'
import { startPostgres } from 'notewire-test-servers'
import { Pool } from 'pg'
import { commitAll, listedState, SCOPE, settledState } from './mirror-filling.ts'
import { sampleNotes, type WholeNote, wholeNoteAt } from './mirror-notes.ts'
import { openStore } from './mirror-stores.ts'
import type { Row, Table } from './report.ts'
import { type Contender, measureThroughput } from './throughput.ts'

const PAGE = 100

/** How fast stores take pages of notes, and their content. */
export async function measureMirrorWrites(): Promise<readonly Table[]> {
  const samples = await sampleNotes()
  return [await inMemory(samples), await inSqlite(samples), await inPostgres(samples)]
}

async function inMemory(samples: readonly WholeNote[]): Promise<Table> {
  await using open = await openStore({ kind: 'memory', at: '' })
  return tableOf('memory', 'Ratios to the first.', contendersIn(open.store, samples))
}

async function inSqlite(samples: readonly WholeNote[]): Promise<Table> {
  const folder = await mkdtemp(join(tmpdir(), 'notewire-benchmark-'))
  try {
    await using open = await openStore({ kind: 'sqlite', at: join(folder, 'mirror.db') })
    using raw = new DatabaseSync(join(folder, 'raw.db'))
    raw.exec(`PRAGMA journal_mode = WAL; ${RAW_TABLE}`)
    const insert = raw.prepare('INSERT INTO raw_notes (note_id, note) VALUES (?, ?)')
    const update = raw.prepare('UPDATE raw_notes SET transcript = ?, summary = ? WHERE note_id = ?')
    const transaction = (pages: readonly WholeNote[], write: (note: WholeNote) => unknown) => {
      raw.exec('BEGIN IMMEDIATE')
      for (const page of pages) write(page)
      raw.exec('COMMIT')
    }
    const floor = async (page: readonly WholeNote[]) => {
      transaction(page, ({ note }) => insert.run(note.note_id, JSON.stringify(note)))
      transaction(page, ({ note, transcript, summary }) =>
        update.run(JSON.stringify(transcript), JSON.stringify(summary), note.note_id),
      )
    }
    const note = `Raw: a row of JSON for each note, without an index of its words, versions or counts; a transaction for the page and one for its content. ${FLUSHED}`
    return await tableOf('SQLite', note, [rawContender(floor, samples), ...contendersIn(open.store, samples)])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function inPostgres(samples: readonly WholeNote[]): Promise<Table> {
  await using postgres = await startPostgres({ durable: true })
  const pool = new Pool({ connectionString: postgres.url })
  pool.on('error', () => undefined)
  try {
    await using open = await openStore({ kind: 'postgres', at: postgres.url })
    await pool.query(RAW_TABLE)
    const floor = async (page: readonly WholeNote[]) => {
      await pool.query(RAW_INSERT, [JSON.stringify(page.map(({ note }) => ({ note_id: note.note_id, note })))])
      const content = page.map(({ note: { note_id }, transcript, summary }) => ({ note_id, transcript, summary }))
      await pool.query(RAW_UPDATE, [JSON.stringify(content)])
    }
    const note = `Raw: a row of JSON for each note, without an index of its words, versions or counts; a statement for the page and one for its content. ${FLUSHED}`
    return await tableOf('PostgreSQL', note, [rawContender(floor, samples), ...contendersIn(open.store, samples)])
  } finally {
    await pool.end()
  }
}

const FLUSHED = 'Every commit waits for the disk. Ratios of throughput to raw.'
const RAW_TABLE = 'CREATE TABLE raw_notes (note_id TEXT PRIMARY KEY, note TEXT, transcript TEXT, summary TEXT)'
const RAW_INSERT = `INSERT INTO raw_notes (note_id, note)
  SELECT note_id, note FROM json_to_recordset($1) AS page (note_id text, note text)`
const RAW_UPDATE = `UPDATE raw_notes SET transcript = page.transcript, summary = page.summary
  FROM json_to_recordset($1) AS page (note_id text, transcript text, summary text)
  WHERE raw_notes.note_id = page.note_id`

async function tableOf(name: string, note: string, contenders: readonly Contender[]): Promise<Table> {
  const rows = await measureThroughput(contenders, 1)
  return {
    title: `Notes that a mirror writes in ${name}, a page of ${PAGE} after the other`,
    unit: 'notes/s',
    note: `Each with a load before its commit, as the mirror writes. ${note}`,
    rows: rows.map((row): Row => ({ ...row, value: PAGE * row.value })),
  }
}

function rawContender(write: (page: readonly WholeNote[]) => Promise<void>, samples: readonly WholeNote[]): Contender {
  const nextPage = pagesOf(samples)
  return { name: 'raw, listed and settled', operate: () => write(nextPage()) }
}

function contendersIn(store: MirrorStore, samples: readonly WholeNote[]): readonly Contender[] {
  const nextPage = pagesOf(samples)
  const stamped = nextPage()
  return [
    {
      name: 'notewire, listed and settled at once',
      operate: async () => {
        const page = nextPage()
        await list(store, page)
        await settle(store, page)
      },
    },
    {
      name: 'notewire, listed and settled one by one',
      operate: async () => {
        const page = nextPage()
        await list(store, page)
        for (const note of page) await settle(store, [note])
      },
    },
    { name: 'notewire, listed', operate: () => list(store, nextPage()) },
    { name: 'notewire, stamped by a scan', operate: () => stamp(store, stamped) },
  ]
}

/** Pages of notes that no other page holds. */
function pagesOf(samples: readonly WholeNote[]): () => readonly WholeNote[] {
  let begin = 0
  return () => {
    begin += PAGE
    return Array.from({ length: PAGE }, (_, place) => wholeNoteAt(begin + place, samples))
  }
}

async function list(store: MirrorStore, page: readonly WholeNote[]): Promise<void> {
  await write(store, page, ({ note }, sequence) => ({
    state: listedState(note, sequence),
    content: { note },
    announce: 'appeared',
  }))
}

async function settle(store: MirrorStore, page: readonly WholeNote[]): Promise<void> {
  await write(store, page, ({ note, transcript, summary }, sequence) => ({
    state: settledState(listedState(note, sequence)),
    content: { transcript, summary },
    announce: 'changed',
  }))
}

async function stamp(store: MirrorStore, page: readonly WholeNote[]): Promise<void> {
  await write(store, page, ({ note }, sequence) => ({ state: settledState(listedState(note, sequence)) }))
}

async function write(
  store: MirrorStore,
  page: readonly WholeNote[],
  decide: (note: WholeNote, sequence: number) => Omit<NoteWrite, 'expectedVersion'>,
): Promise<void> {
  const { notes, sequence } = await store.load(
    SCOPE,
    page.map(({ note }) => note.note_id),
  )
  const writes = page.map((whole): NoteWrite => {
    const expectedVersion = notes.get(whole.note.note_id)?.version ?? 0
    return { ...decide(whole, sequence), expectedVersion }
  })
  await commitAll(store, writes)
}
