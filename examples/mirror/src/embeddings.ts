import { DatabaseSync } from 'node:sqlite'
import { type ConsumerChange, openMirror } from '@notewire/mirror'
import { sqliteMirror } from '@notewire/mirror/sqlite'

/** Calls your model: one embedding for each text. */
export type Embed = (texts: readonly string[], signal: AbortSignal) => Promise<readonly (readonly number[])[]>

const PARTS = ['title', 'summary', 'transcript'] as const

/** Keeps an embedding of each part of each note in a table of the mirror's own file, until the signal fires. */
export async function keepEmbeddings(path: string, embed: Embed, signal: AbortSignal): Promise<void> {
  const database = new DatabaseSync(path, { timeout: 1_000 })
  database.exec(`CREATE TABLE IF NOT EXISTS embeddings (
    note_id TEXT, part TEXT, hash TEXT NOT NULL, embedding BLOB NOT NULL, PRIMARY KEY (note_id, part))`)
  const find = database.prepare('SELECT hash FROM embeddings WHERE note_id = ? AND part = ?')
  const write = database.prepare('INSERT OR REPLACE INTO embeddings VALUES (?, ?, ?, ?)')
  const erase = database.prepare('DELETE FROM embeddings WHERE note_id = ? AND part = ?')

  const mirror = openMirror({ store: sqliteMirror(path), hooks: { onProblem: ({ error }) => console.error(error) } })
  await mirror.consume({
    name: 'embeddings',
    signal,
    batchSize: 20,
    apply: async (changes, { commit, signal }) => {
      const passages = changes.flatMap(passagesOf)
      const changed = passages.filter(({ noteId, part, hash }) => find.get(noteId, part)?.['hash'] !== hash)
      const texts = changed.map(({ text }) => text).filter((text) => text !== null)
      // The model is called before the transaction begins: other connections cannot write during a transaction.
      const embeddings = texts.length === 0 ? [] : [...(await embed(texts, signal))]

      database.exec('BEGIN IMMEDIATE')
      try {
        for (const { noteId, part, text, hash } of changed) {
          if (text === null) erase.run(noteId, part)
          else write.run(noteId, part, hash, bytesOf(embeddings.shift() ?? []))
        }
        void commit(database)
        database.exec('COMMIT')
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
    },
  })
  database.close()
}

/** The parts of a note as they are to be stored: without text, if the note or the part is gone. */
function passagesOf(change: ConsumerChange) {
  const { noteId } = change
  if (change.kind === 'removed') return PARTS.map((part) => ({ noteId, part, text: null, hash: null }))
  // Another change follows when transcript and summary belong to the note's revision.
  if (!change.isSettled) return []
  const { note, summary, transcript, hashes } = change
  const texts = { title: note.title, summary: summary?.markdown, transcript: transcript?.text }
  return PARTS.map((part) => {
    const text = texts[part] ?? null
    return { noteId, part, text, hash: text === null ? null : hashes[part] }
  })
}

function bytesOf(embedding: readonly number[]): Uint8Array {
  return new Uint8Array(Float32Array.from(embedding).buffer)
}

/** The notes with the parts that are nearest to an embedding, by their scalar product. */
export function nearestNotes(database: DatabaseSync, embedding: readonly number[], limit: number): readonly string[] {
  const rows = database.prepare('SELECT note_id, embedding FROM embeddings').all()
  const scores = new Map<string, number>()
  for (const { note_id, embedding: bytes } of rows as { note_id: string; embedding: Uint8Array }[]) {
    const vector = new Float32Array(bytes.slice().buffer)
    const score = vector.reduce((sum, value, index) => sum + value * (embedding[index] ?? 0), 0)
    scores.set(note_id, Math.max(score, scores.get(note_id) ?? Number.NEGATIVE_INFINITY))
  }
  return [...scores]
    .sort(([, one], [, other]) => other - one)
    .slice(0, limit)
    .map(([noteId]) => noteId)
}
