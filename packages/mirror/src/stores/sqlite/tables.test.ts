import { existsSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { nodeSqlite, type SqliteDriver } from '@notewire/storage'
import { temporaryPath } from 'notewire-test-servers'
import { expect, it, onTestFinished } from 'vitest'
import { aLiveState, aNote, aState, aSummary, aTranscript } from '../../../fixtures/store-checks/builders.ts'
import { NO_PROGRESS } from '../../integrations/progress.ts'
import { openMirror } from '../../reader/mirror-reader.ts'
import { madeSingle, newIntegration } from '../../rules/schedule-rule.ts'
import { FullTextMissingError, NewerTablesError } from './errors.ts'
import { sqliteMirror } from './sqlite-mirror.ts'

async function readerOfNotes(): Promise<DatabaseSync> {
  const path = temporaryPath(onTestFinished)
  const store = sqliteMirror(path)
  await store.migrate()
  const live = aLiveState('live', { status: 'ended', updatedAt: '2026-01-01T09:00:00Z', readAfterSequence: 4 })
  const note = { ...aNote('live', { title: 'Weekly', content: 'Budget' }), owner: { type: 'channel', channel_id: 'c' } }
  const content = { note, transcript: aTranscript('live'), summary: aSummary('live', '* agreed') }
  const hidden = { note: aNote('hidden', { title: 'Weekly too' }) }
  await store.commit('default', {
    notes: [
      { state: live, expectedVersion: 0, content },
      { state: aLiveState('bare'), expectedVersion: 0 },
      { state: aState('hidden', { presence: 'hidden' }), expectedVersion: 0, content: hidden },
    ],
  })
  await store.close?.()
  const reader = new DatabaseSync(path, { readOnly: true })
  onTestFinished(() => reader.close())
  return reader
}

it('live notes can be read by SQL, with their content', async () => {
  const reader = await readerOfNotes()
  expect(reader.prepare('SELECT * FROM notewire_live_notes ORDER BY note_id').all()).toMatchObject([
    { integration: 'default', note_id: 'bare', title: null, transcript: null, is_settled: 1 },
    {
      integration: 'default',
      note_id: 'live',
      revision: 1,
      status: 'ended',
      title: 'Weekly',
      content: 'Budget',
      transcript: 'Good morning everybody',
      summary: '* agreed',
      updated_at: '2026-01-01T09:00:00Z',
      is_settled: 0,
    },
  ])
})

it('segments and the rest of a record are JSON', async () => {
  const reader = await readerOfNotes()
  const speakers = `
    SELECT value ->> 'speaker' AS speaker, record -> 'owner' ->> 'channel_id' AS channel
    FROM notewire_live_notes, json_each(segments) WHERE note_id = 'live'`
  expect(reader.prepare(speakers).all()).toEqual([
    { speaker: 'Ada', channel: 'c' },
    { speaker: null, channel: 'c' },
  ])
})

it('the index can be searched by SQL, with all features of FTS5', async () => {
  const reader = await readerOfNotes()
  const search = `
    SELECT note_id, snippet(notewire_mirror_search, 3, '[', ']', '…', 3) AS said
    FROM notewire_mirror_search JOIN notewire_live_notes ON row_id = notewire_mirror_search.rowid
    WHERE notewire_mirror_search MATCH 'transcript:morning week* NOT monthly' ORDER BY rank`
  expect(reader.prepare(search).all()).toEqual([{ note_id: 'live', said: 'Good [morning] everybody' }])
})

it('an SQLite without full-text search has its own error, with the next step', async () => {
  const inner = nodeSqlite(':memory:')
  const without: SqliteDriver = {
    ...inner,
    batch(statements, outlives) {
      if (statements.some(({ sql }) => sql.includes('fts5'))) throw new Error('no such module: fts5')
      return inner.batch(statements, outlives)
    },
  }
  await expect(sqliteMirror(without).migrate()).rejects.toThrow(FullTextMissingError)
  await expect(sqliteMirror(without).migrate()).rejects.toMatchObject({ code: 'sqlite_full_text_missing' })
})

it('tables of a newer version are rejected, and not changed', async () => {
  const path = temporaryPath(onTestFinished)
  const store = sqliteMirror(path)
  await store.migrate()
  await store.close?.()
  const newer = new DatabaseSync(path)
  newer.exec(
    'UPDATE notewire_mirror_version SET version = 2; ALTER TABLE notewire_mirror_notes ADD COLUMN of_version_2',
  )
  newer.close()
  const before = readFileSync(path)
  const reader = openMirror({ store: sqliteMirror(path) })
  await expect(reader.status()).rejects.toThrow(NewerTablesError)
  await expect(reader.status()).rejects.toMatchObject({ code: 'sqlite_tables_newer', found: 2, known: 1 })
  expect(readFileSync(path).equals(before)).toBe(true)
})

it('the listings of createMirror of version 0.1.0 are refused on a copy on which this version works', async () => {
  const path = temporaryPath(onTestFinished)
  const store = sqliteMirror(path)
  onTestFinished(() => store.close())
  await store.migrate()
  await store.integrations.write(madeSingle(undefined, newIntegration('one', 'first', 0)), undefined)
  await store.integrations.write(newIntegration('added', 'first', 0), undefined)
  for (const name of ['one', 'added']) await store.load(name, [])
  const old = new DatabaseSync(path)
  onTestFinished(() => old.close())
  const commit = old.prepare(`
    INSERT INTO notewire_mirrors (integration, sequence, position, progress, progress_version, heard_at) VALUES (?, 0, 0, NULL, ?, 5)
    ON CONFLICT (integration) DO UPDATE SET progress_version = progress_version + excluded.progress_version, heard_at = excluded.heard_at`)
  expect(() => commit.run('one', 1)).toThrow('this process runs version 0.1.0. Update this process.')
  expect(commit.run('one', 0).changes).toBe(1)
  expect(commit.run('added', 1).changes).toBe(1)
})

it('what is stored has the names of version 0.1.0, which may still run', async () => {
  const path = temporaryPath(onTestFinished)
  const store = sqliteMirror(path)
  onTestFinished(() => store.close())
  await store.migrate()
  const evidence = { says: 'present', start: 5, end: 6, source: 'full-listing', at: 7 } as const
  const fields = { readAfterSequence: 4, hiddenSequence: 3, heldByFullListing: 'one', evidence } as const
  const state = aState('note', { ...fields, transcriptOutcome: 'ready', summaryOutcome: 'missing' })
  const lastFullListing = {
    ...{ fullListingId: 'one', startSequence: 1, beganAt: 2, endedAt: 3, seen: 4, missing: 5, holdsBack: true },
  }
  const progress = { ...NO_PROGRESS, lastFullListing }
  await store.commit('default', { notes: [{ state, expectedVersion: 0 }], progress })
  const reader = new DatabaseSync(path, { readOnly: true })
  onTestFinished(() => reader.close())
  const stored = (sql: string) => JSON.parse(String(Object.values(reader.prepare(sql).get() ?? {})[0]))
  expect(stored('SELECT state FROM notewire_mirror_notes')).toMatchObject({
    ...{ dirty: 4, hiddenBy: 3, heldByScan: 'one', evidence: { source: 'scan' } },
    ...{ transcriptHeld: 'ready', summaryHeld: 'missing' },
  })
  const { fullListingId: scanId, ...rest } = lastFullListing
  expect(stored('SELECT progress FROM notewire_mirrors')).toMatchObject({ scan: null, lastScan: { scanId, ...rest } })
  expect((await store.load('default', ['note'])).notes.get('note')?.state).toEqual(state)
  expect((await store.readProgress('default')).progress).toEqual(progress)
})

it('a mirror that only reads does not change the file', async () => {
  const path = temporaryPath(onTestFinished)
  const store = sqliteMirror(path)
  await store.migrate()
  await store.load('default', ['live'])
  await store.commit('default', { notes: [{ state: aLiveState('live'), expectedVersion: 0 }] })
  await store.close?.()
  const before = readFileSync(path)
  const reader = openMirror({ store: sqliteMirror(path) })
  expect(await reader.status()).toMatchObject({ notes: { live: 1 } })
  expect(await reader.search('weekly')).toEqual([])
  expect(existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : Buffer.alloc(0)).toHaveLength(0)
  expect(readFileSync(path).equals(before)).toBe(true)
})
