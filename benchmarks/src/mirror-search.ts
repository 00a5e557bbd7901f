import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { NotesClient } from '@notewire/client'
import { createMirror } from '@notewire/mirror'
import { mediansTurnByTurn } from './measure.ts'
import { fillStore } from './mirror-filling.ts'
import { sampleNotes, wordAt } from './mirror-notes.ts'
import { shareOf } from './mirror-share.ts'
import { openStore } from './mirror-stores.ts'
import type { Table } from './report.ts'

const NOTES = shareOf(100_000)
const ROUNDS = 15
const FOUND = 20
const RARE = wordAt(Math.floor(NOTES / 2))
const QUERIES: Readonly<Record<string, string>> = {
  'notewire, a word of one note': RARE,
  'notewire, two words of one note': `the ${RARE}`,
  'notewire, three words of some notes': 'grace budget thursday',
  'notewire, a word of nearly all notes': 'the',
}

/** Measures the full-text search of a mirror in SQLite. */
export async function measureMirrorSearch(): Promise<readonly Table[]> {
  const folder = await mkdtemp(join(tmpdir(), 'notewire-benchmark-'))
  const path = join(folder, 'mirror.db')
  try {
    await using open = await openStore({ kind: 'sqlite', at: path })
    await fillStore(open.store, NOTES, await sampleNotes())
    const client = new NotesClient({ baseUrl: 'http://127.0.0.1:9', apiKey: 'ntw_live_benchmark.key' })
    const mirror = createMirror({ client, store: open.store })
    using database = new DatabaseSync(path, { readOnly: true })
    const like = database.prepare(LIKE)
    const found: Record<string, number> = {}
    const samplers = Object.entries(QUERIES).map(([name, words]) => [
      name,
      async () => {
        const began = performance.now()
        found[name] = (await mirror.search(words, FOUND)).length
        return performance.now() - began
      },
    ])
    const scanned = 'LIKE over all notes, a word of one note'
    const milliseconds = await mediansTurnByTurn(
      {
        ...Object.fromEntries(samplers),
        [scanned]: () => {
          const began = performance.now()
          like.all(...Array<string>(4).fill(`%${RARE}%`), FOUND)
          return performance.now() - began
        },
      },
      ROUNDS,
    )
    const base = milliseconds['notewire, a word of one note'] ?? Number.NaN
    return [
      {
        title: `Search of ${NOTES.toLocaleString('en')} notes in SQLite`,
        unit: 'ms',
        note: `Of titles, contents, transcripts and summaries; the best ${FOUND} notes with their content: ${Object.values(found).join(', ')} were found. Ratios to the first.`,
        rows: Object.entries(milliseconds).map(([name, value]) => ({ name, value, ratio: value / base })),
      },
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const LIKE = `SELECT * FROM notewire_live_notes
  WHERE title LIKE ? OR content LIKE ? OR transcript LIKE ? OR summary LIKE ? LIMIT ?`
