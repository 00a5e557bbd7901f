import { DatabaseSync } from 'node:sqlite'
import { sqliteMirror } from '@notewire/mirror/sqlite'
import type { Note, NotePage, Summary, Transcript } from '@notewire/protocol'
import ky from 'ky'

interface KyLoop {
  readonly baseUrl: string
  readonly apiKey: string
  readonly path: string
  readonly concurrency: number
}

/**
 * The least that a backfill costs: the same requests with ky, the same rows in the same tables and index, one transaction a page. It decides
 * nothing, resumes nothing and checks nothing.
 *
 * @returns the number of notes
 */
export async function copyWithKy({ baseUrl, apiKey, path, concurrency }: KyLoop): Promise<number> {
  const store = sqliteMirror(path)
  await store.migrate()
  await store.close?.()
  const rows = openRows(path)
  const get = async <Answer>(rest: string): Promise<Answer> =>
    await ky.get(`${baseUrl}/v1/notes${rest}`, { headers: { authorization: `Bearer ${apiKey}` } }).json()
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: NotePage = await get(`?limit=100&include_deleted=true${cursor === '' ? '' : `&cursor=${cursor}`}`)
    const read: WholeNote[] = []
    const unread = page.notes.values()
    const work = async () => {
      for (const note of unread) {
        const [transcript, summary] = await Promise.all([
          get<Transcript>(`/${note.note_id}/transcript`),
          get<Summary>(`/${note.note_id}/summary`),
        ])
        read.push({ note, transcript, summary })
      }
    }
    await Promise.all(Array.from({ length: concurrency }, work))
    rows.insert(read)
    cursor = page.next_cursor
  }
  return rows.close()
}

interface WholeNote {
  readonly note: Note
  readonly transcript: Transcript
  readonly summary: Summary
}

function openRows(path: string) {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON')
  database.exec(
    "INSERT INTO notewire_mirrors (integration, sequence, position, progress_version) VALUES ('default', 1, 0, 0)",
  )
  const insertNote = database.prepare(INSERT_NOTE)
  const insertContent = database.prepare(INSERT_CONTENT)
  let count = 0

  function insertOne({ note, transcript, summary }: WholeNote): void {
    count += 1
    const { note_id, revision, status, transcript_status, summary_status, created_at, updated_at } = note
    const now = Date.now()
    const evidence = { says: 'present', start: 1, end: 1, source: 'backfill', at: now }
    const held = { settledRevision: revision, transcriptHeld: 'ready', summaryHeld: 'ready', recordSeenAt: now }
    const statuses = { status, transcriptStatus: transcript_status, summaryStatus: summary_status }
    const times = { createdAt: created_at, updatedAt: updated_at }
    const state = { presence: 'live', evidence, revision, visibleRevision: revision, ...held, ...statuses, ...times }
    insertNote.run(note_id, JSON.stringify({ ...state, attempts: 0, failures: 0 }), count)
    insertContent.run(count, ...[note, summary, transcript].map((part) => JSON.stringify(part)))
  }

  return {
    insert(notes: readonly WholeNote[]): void {
      database.exec('BEGIN IMMEDIATE')
      for (const note of notes) insertOne(note)
      database.exec('COMMIT')
    },
    close(): number {
      database.close()
      return count
    },
  }
}

const INSERT_NOTE = `
  INSERT INTO notewire_mirror_notes (integration, version, digests, note_id, state, position)
  VALUES ('default', 1, '{}', ?, ?, ?)`

const INSERT_CONTENT = `
  INSERT INTO notewire_mirror_content (is_indexed, row_id, record, summary_record, transcript_record) VALUES (1, ?, ?, ?, ?)`
