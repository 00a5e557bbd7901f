import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { NotesClient } from '@notewire/client'
import { createMirror } from '@notewire/mirror'
import { mediansTurnByTurn } from './measure.ts'
import { fillStore } from './mirror-filling.ts'
import { sampleNotes, wordAt } from './mirror-notes.ts'
import { openStore } from './mirror-stores.ts'
import { comparedWith, type Table } from './report.ts'

const NOTES = 100_000
const ROUNDS = 15
const FOUND = 20
const RARE = wordAt(Math.floor(NOTES / 2))
const LIKE = 'LIKE, a word of one note'
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
    const like = database.prepare(SELECT_LIKE)
    const samplers = Object.entries(QUERIES).map(([name, words]) => [
      name,
      () => msOf(() => mirror.search(words, FOUND)),
    ])
    const milliseconds = await mediansTurnByTurn(
      {
        ...Object.fromEntries(samplers),
        [LIKE]: () => msOf(() => like.all(...Array<string>(4).fill(`%${RARE}%`), FOUND)),
      },
      ROUNDS,
    )
    return [
      {
        title: `How fast is a search of ${NOTES.toLocaleString('en')} notes in SQLite?`,
        unit: 'ms',
        note: `Searches titles, contents, transcripts and summaries for the best ${FOUND} notes, with their content. \`LIKE\` reads all notes to find the same rare word.`,
        rows: comparedWith('notewire, a word of one note', milliseconds, (name) => ({ isAlternative: name === LIKE })),
      },
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function msOf(search: () => unknown): Promise<number> {
  const began = performance.now()
  await search()
  return performance.now() - began
}

const SELECT_LIKE = `SELECT * FROM notewire_live_notes
  WHERE title LIKE ? OR content LIKE ? OR transcript LIKE ? OR summary LIKE ? LIMIT ?`
