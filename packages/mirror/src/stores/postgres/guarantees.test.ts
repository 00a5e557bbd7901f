import { OptionError } from '@notewire/protocol'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { aLiveState, aNote, aTranscript, evidenceFrom } from '../../../fixtures/store-checks/builders.ts'
import { reads } from '../../../fixtures/store-reads.ts'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-database.ts'
import { unknownNote } from '../../notes/note-state.ts'
import type { NoteWrite } from '../../notes/note-write.ts'
import type { MirrorStore } from '../mirror-store.ts'
import { PostgresNotMigratedError, PostgresTimeoutError, postgresMirror } from './index.ts'

let databases: TestDatabases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.cleanUp.disposeAsync())

const newNote = (noteId: string, write: Partial<NoteWrite> = {}): NoteWrite => {
  return { state: aLiveState(noteId), expectedVersion: 0, announce: 'appeared', ...write }
}

describe('an operation', () => {
  it('is one unnamed statement and therefore one round trip, and a search is two', async () => {
    const pool = await databases.migratedPool()
    const statements: unknown[][] = []
    const store = postgresMirror({
      query: (...statement) => {
        statements.push(statement)
        return pool.query(...statement)
      },
    })
    const certificate = { fullListingId: 'scan', startSequence: 1 } as Parameters<MirrorStore['count']>[1] & object
    await store.load('default', ['note_1'])
    await store.commit('default', { notes: [newNote('note_1', { content: { note: aNote('note_1') } })], heardAt: 1 })
    await store.readDue('default', { dueBy: 1, limit: 10, except: ['note_2'] })
    await store.readProgress('default')
    await reads(store).listCandidates('default', certificate, '', 10)
    await reads(store).countCandidates('default', certificate)
    await reads(store).listHeld('default', 'scan', '', 10)
    await store.count('default')
    await reads(store).listChanges('default', 0, 10)
    await reads(store).getNote('default', 'note_1')
    await reads(store).listNotes('default', '', 10)
    await reads(store).search('default', ['stand-up'], 10)
    expect(statements).toHaveLength(13)
    for (const [text, values, ...others] of statements) {
      expect(text).toEqual(expect.stringMatching(/^(SELECT|WITH) [^;]*$/))
      const placeholders = String(text).match(/\$\d+/g)
      expect(placeholders).toEqual((values as unknown[]).map((_, index) => `$${index + 1}`))
      expect(others).toEqual([])
    }
  })

  it('updates evidence in place, without writing indexes or content', async () => {
    const pool = await databases.migratedPool()
    const store = postgresMirror(pool)
    const noteIds = Array.from({ length: 300 }, (_, index) => `note_${String(index).padStart(3, '0')}`)
    await store.commit('default', {
      notes: noteIds.map((noteId) => newNote(noteId, { content: { note: aNote(noteId) } })),
    })
    for (let fullListing = 2; fullListing < 5; fullListing += 1) {
      const notes = noteIds.map((noteId) => {
        return {
          state: aLiveState(noteId, { evidence: evidenceFrom(10 * fullListing) }),
          expectedVersion: fullListing - 1,
        }
      })
      expect(await store.commit('default', { notes })).toBe('committed')
    }
    await pool.query('SELECT pg_stat_force_next_flush()')
    const { rows } = await pool.query(
      "SELECT relname, n_tup_upd::int AS updates, n_tup_hot_upd::int AS hot FROM pg_stat_user_tables WHERE relname ~ 'mirror_notes|content' ORDER BY 1",
    )
    expect(rows[0]).toEqual({ relname: 'notewire_mirror_content', updates: 0, hot: 0 })
    expect(rows[1].updates).toBe(900)
    expect(rows[1].hot / rows[1].updates).toBeGreaterThan(0.95)
  })

  it('finds rows by their index from the first page on, even without statistics', async () => {
    const pool = await databases.migratedPool({ max: 1 })
    await pool.query('ALTER TABLE notewire_mirror_notes SET (autovacuum_enabled = off)')
    await pool.query('ALTER TABLE notewire_mirror_content SET (autovacuum_enabled = off)')
    const store = postgresMirror(pool)
    for (let page = 0; page < 40; page += 1) {
      const noteIds = Array.from({ length: 100 }, (_, index) => `note ${page} ${index}`)
      await store.load('default', noteIds)
      await store.commit('default', {
        notes: noteIds.map((noteId, index) => {
          const state = aLiveState(noteId, { readAfterSequence: index < 10 ? 1 : null, dueAt: page * 100 + index })
          return newNote(noteId, { state, content: { note: aNote(noteId) } })
        }),
      })
      const due = await store.readDue('default', { dueBy: 1_000_000, limit: 20, except: noteIds.slice(0, 10) })
      expect(due.notes).toHaveLength(20)
      expect(due.nextDueAt).toBe([30, 20][page] ?? 10)
    }
    await pool.query('SELECT pg_stat_force_next_flush()')
    const { rows } = await pool.query(`
      SELECT relname, seq_tup_read::int < 10000 AS few_scanned, idx_tup_fetch::int < 40000 AS few_fetched
        FROM pg_stat_user_tables WHERE relname ~ 'mirror_notes|content' ORDER BY 1`)
    expect(rows).toEqual([
      { relname: 'notewire_mirror_content', few_scanned: true, few_fetched: true },
      { relname: 'notewire_mirror_notes', few_scanned: true, few_fetched: true },
    ])
  })

  it.each<[string, (store: MirrorStore) => Promise<unknown>]>([
    ['load', (store) => store.load('default', [])],
    ['migrate', (store) => store.migrate()],
  ])('gives up after thirty seconds: %s', async (_name, operation) => {
    const store = postgresMirror({ query: () => new Promise(() => undefined) })
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const answer = expect(operation(store)).rejects.toThrow(PostgresTimeoutError)
    await vi.advanceTimersByTimeAsync(30_000)
    vi.useRealTimers()
    await answer
  })

  it('waits at most ten seconds for a lock, and does not block others meanwhile', async () => {
    const pool = await databases.migratedPool()
    const store = postgresMirror(pool)
    await store.commit('default', {
      notes: [newNote('locked', { state: aLiveState('locked', { readAfterSequence: 1, dueAt: 1 }) })],
    })
    const client = await pool.connect()
    await client.query("BEGIN; SELECT FROM notewire_mirror_notes WHERE note_id = 'locked' FOR UPDATE")
    const waiting = store.commit('default', { notes: [newNote('locked', { expectedVersion: 1 })] })
    const refused = expect(waiting).rejects.toThrow(PostgresTimeoutError)
    expect((await store.load('default', ['locked'])).notes.size).toBe(1)
    expect((await store.readDue('default', { dueBy: 5, limit: 5 })).notes).toHaveLength(1)
    expect(await store.commit('default', { notes: [newNote('free')], heardAt: 4 })).toBe('committed')
    await refused
    await client.query('ROLLBACK')
    client.release()
  })

  it('says what to do if the tables are missing, and passes on the errors of the driver', async () => {
    const store = postgresMirror(databases.poolOf(await databases.emptyDatabase()))
    await expect(store.load('default', [])).rejects.toThrow(PostgresNotMigratedError)
    await expect(reads(store).getNote('default', 'note_1')).rejects.toThrow(/store\.migrate\(\)/)
    const broken = new Error('connection terminated')
    await expect(postgresMirror({ query: () => Promise.reject(broken) }).count('default')).rejects.toBe(broken)
  })
})

describe('a load', () => {
  it('does not wait for commits of others', async () => {
    const pool = await databases.migratedPool()
    const store = postgresMirror(pool)
    await store.load('default', [])
    const client = await pool.connect()
    await client.query('BEGIN')
    await postgresMirror(client).commit('default', { notes: [newNote('note_1')], heardAt: 1 })
    expect((await store.load('default', ['note_1'])).notes.size).toBe(0)
    await client.query('COMMIT')
    client.release()
    expect((await store.load('default', ['note_1'])).notes.size).toBe(1)
  })

  it('continues after every number that was returned, even if the counter is lost', async () => {
    const pool = await databases.migratedPool()
    const store = postgresMirror(pool)
    for (let turn = 1; turn <= 3; turn += 1) expect((await store.load('default', [])).sequence).toBe(turn)
    await pool.query('TRUNCATE notewire_mirror_sequences')
    const { sequence } = await store.readProgress('default')
    expect(sequence).toBeGreaterThanOrEqual(3)
    expect((await store.load('default', [])).sequence).toBe(sequence + 1)
  })

  it('grows by one beyond each limit, with any number of concurrent loads', async () => {
    const store = postgresMirror(await databases.migratedPool({ max: 16 }))
    const numbers: number[] = []
    const work = async () => {
      for (let turn = 0; turn < 160; turn += 1) numbers.push((await store.load('default', [])).sequence)
    }
    await Promise.all(Array.from({ length: 16 }, work))
    expect(numbers.sort((one, other) => one - other)).toEqual(Array.from({ length: 2_560 }, (_, index) => index + 1))
  })
})

describe('data of a service', () => {
  it('is stored without loss even if PostgreSQL cannot store it as text, including ids and events', async () => {
    const store = postgresMirror(await databases.migratedPool())
    const states = ['a\0', 'a\ud83d', 'a\ufffd', 'a\u001a', 'a\u001a0000'].map((noteId) => ({
      ...unknownNote(noteId),
      status: noteId,
      heldByFullListing: noteId,
      hintedRevision: 1.5e300,
      heard: { kind: `note.${noteId}`, revision: -0.1, sequence: 1, at: 1 },
    }))
    await store.commit('s\0', { notes: states.map((state) => ({ state, expectedVersion: 0, announce: 'appeared' })) })
    for (const state of states) expect((await reads(store).getNote('s\0', state.noteId))?.state).toEqual(state)
    const changes = await reads(store).listChanges('s\0', 0, 10)
    expect(changes.map(({ state }) => state)).toEqual(states)
  })

  it.each(['~/', '<!--', '@1a', 'a_', './', "<a '", 'a-'])(
    'does not block the parser: a megabyte of %s',
    async (pattern) => {
      const store = postgresMirror(await databases.migratedPool())
      const text = `${pattern.repeat(1_000_000 / pattern.length)} walrus`
      const content = { transcript: aTranscript('note_1', text) }
      await store.commit('default', { notes: [newNote('note_1', { content })] })
      expect(await reads(store).search('default', ['walrus'], 5)).toHaveLength(1)
    },
    25_000,
  )

  it('is found by its first words if it has more words than PostgreSQL can index', async () => {
    const store = postgresMirror(await databases.migratedPool())
    const words = Array.from({ length: 300_000 }, (_, index) => `word${index}`)
    const content = { note: aNote('note_1', { title: 'Walrus' }), transcript: aTranscript('note_1', words.join(' ')) }
    expect(await store.commit('default', { notes: [newNote('note_1', { content })] })).toBe('committed')
    const [found] = await reads(store).search('default', ['walrus', 'word7'], 5)
    expect(found?.transcript).toEqual(content.transcript)
  })

  it('is found in any case if the locale of the database folds only English letters', async () => {
    const { server, poolOf } = databases
    await poolOf(server.url).query("CREATE DATABASE plain TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
    const store = postgresMirror(poolOf(server.url.replace(/postgres$/, 'plain')))
    await store.migrate()
    const content = { note: aNote('note_1', { title: 'ÜBERGABE' }) }
    await store.commit('default', { notes: [newNote('note_1', { content })] })
    expect(await reads(store).search('default', ['Übergabe'], 5)).toHaveLength(1)
  })
})

describe('the tables', () => {
  it('show live notes to SQL of the user, with any content', async () => {
    const pool = await databases.migratedPool()
    const store = postgresMirror(pool)
    const content = {
      note: aNote('note_1', { title: 'Nil \0', created_at: 'yesterday' }),
      transcript: aTranscript('note_1'),
      summary: { note_id: 'note_1', markdown: '## Walrus' },
    }
    await store.commit('default', {
      notes: [newNote('note_1', { content }), newNote('gone', { state: aLiveState('gone', { presence: 'gone' }) })],
    })
    const { rows } = await pool.query('SELECT * FROM notewire_live_notes')
    expect(rows).toEqual([
      expect.objectContaining({
        integration: 'default',
        note_id: 'note_1',
        title: 'Nil \u001a0000',
        content: 'What we said',
        summary: '## Walrus',
        transcript: 'Good morning everybody',
        segments: content.transcript.segments,
        is_settled: true,
      }),
    ])
    const found = await pool.query(
      "SELECT note_id FROM notewire_live_notes WHERE search @@ websearch_to_tsquery('simple', 'walrus -cat')",
    )
    expect(found.rows).toEqual([{ note_id: 'note_1' }])
  })

  it('keep nothing of erased content: no row, no statistics, and no byte in their files once these are rewritten', async () => {
    const pool = await databases.migratedPool()
    const store = postgresMirror(pool)
    const content = { note: aNote('note_1', { title: 'walrus' }), transcript: aTranscript('note_1', 'secret') }
    const others = Array.from({ length: 200 }, (_, index) => {
      return newNote(`other ${index}`, { content: { note: aNote(`other ${index}`, { title: 'walrus' }) } })
    })
    await store.commit('default', { notes: [newNote('note_1', { content }), ...others] })
    await pool.query('ANALYZE notewire_mirror_content')
    await pool.query('CHECKPOINT')
    expect(await bytesOf(pool)).toContain('secret')
    await store.commit('default', { notes: [newNote('note_1', { expectedVersion: 1, content: 'erase' })] })
    const { rows } = await pool.query(`
      SELECT (SELECT count(*)::int FROM notewire_mirror_content WHERE note_id = 'note_1') AS rows,
        (SELECT count(*)::int FROM pg_stats
          WHERE tablename = 'notewire_mirror_content' AND attname <> ALL ('{integration,note_id}')) AS samples`)
    expect(rows).toEqual([{ rows: 0, samples: 0 }])
    await pool.query('VACUUM FULL notewire_mirror_content')
    await pool.query('CHECKPOINT')
    expect(await bytesOf(pool)).not.toContain('secret')
  })

  it('are vacuumed after one erased note, with the next autovacuum', async () => {
    const pool = await databases.migratedPool()
    await pool.query("ALTER SYSTEM SET autovacuum_naptime = '1s'")
    await pool.query('SELECT pg_reload_conf()')
    const store = postgresMirror(pool)
    await store.commit('default', { notes: [newNote('note_1', { content: { note: aNote('note_1') } })] })
    await store.commit('default', { notes: [newNote('note_1', { expectedVersion: 1, content: 'erase' })] })
    const vacuumed = async () => {
      const { rows } = await pool.query(
        "SELECT last_autovacuum FROM pg_stat_user_tables WHERE relname = 'notewire_mirror_content'",
      )
      return rows[0].last_autovacuum
    }
    await expect.poll(vacuumed, { interval: 200 }).not.toBe(null)
  })

  it('ask autovacuum for the first dead row of content', async () => {
    const pool = await databases.migratedPool()
    const { rows } = await pool.query(
      "SELECT relname, reloptions FROM pg_class WHERE oid = 'notewire_mirror_content'::regclass OR oid = (SELECT reltoastrelid FROM pg_class WHERE oid = 'notewire_mirror_content'::regclass)",
    )
    expect(rows).toHaveLength(2)
    for (const { reloptions } of rows) {
      expect(reloptions).toEqual([
        'autovacuum_vacuum_threshold=0',
        'autovacuum_vacuum_scale_factor=0',
        'vacuum_index_cleanup=on',
      ])
    }
  })
})

describe('postgresMirror', () => {
  it('rejects a pool without query', () => {
    // @ts-expect-error a connection string is not a pool
    expect(() => postgresMirror('postgres://localhost')).toThrow(OptionError)
    // @ts-expect-error a promise of a pool
    expect(() => postgresMirror(Promise.resolve(new Pool()))).toThrow(/pool has no method "query"/)
  })
})

/** Reads the files of the table and its indexes. */
async function bytesOf(pool: Pool): Promise<string> {
  const { rows } = await pool.query(`
    SELECT convert_from(translate_nul, 'LATIN1') AS bytes FROM (
      SELECT decode(replace(encode(pg_read_binary_file(pg_relation_filepath(oid)), 'hex'), '00', '2e'), 'hex') AS translate_nul
        FROM pg_class WHERE relname LIKE 'notewire_mirror_content%' AND pg_relation_size(oid) > 0) AS files`)
  return rows.map(({ bytes }) => bytes).join('')
}
