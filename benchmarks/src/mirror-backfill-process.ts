import { DatabaseSync } from 'node:sqlite'
import { NotesClient } from '@notewire/client'
import { nodeFetch } from '@notewire/client/node-fetch'
import { createMirror } from '@notewire/mirror'
import { sqliteMirror } from '@notewire/mirror/sqlite'
import type { NotePage } from '@notewire/protocol'
import { copyWithKy } from './mirror-ky-loop.ts'
import { peakMemoryMb } from './peak-memory.ts'

// Runs as a separate process. Copies notes with their transcripts and summaries from a service, and sends their number and the cost:
// `{ notes, ms, cpuMs, maxRssMb }`. The number argument is the number of notes to copy, or the concurrency of the mirror, which copies all.
const [variant = '', baseUrl = '', apiKey = '', number = '', path = ''] = process.argv.slice(2)

process.on('disconnect', () => process.exit())
const client = new NotesClient({ baseUrl, apiKey, ...(variant === 'mirrorByNodeFetch' && { fetch: nodeFetch }) })
const kyLoop = () => copyWithKy({ baseUrl, apiKey, path, concurrency: Number(number) })
const copyNotes = { mirror, mirrorByNodeFetch: mirror, bare, loop, kyLoop }[variant] ?? unknownVariant
const began = performance.now()
const cpuBefore = process.cpuUsage()
const notes = await copyNotes()
const { user, system } = process.cpuUsage(cpuBefore)
const ms = performance.now() - began
process.send?.({ notes, ms, cpuMs: (user + system) / 1000, maxRssMb: peakMemoryMb() })

async function mirror(): Promise<number> {
  const store = sqliteMirror(path === '' ? ':memory:' : path)
  const copy = createMirror({ client, store, concurrency: Number(number) })
  await copy.sync()
  const { live, dirty, unsettled } = (await copy.status()).notes
  return live - dirty - unsettled
}

/** A user's simple program: one request after the other, one row per note. */
async function loop(): Promise<number> {
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE notes (note_id TEXT PRIMARY KEY, title TEXT, note TEXT, transcript TEXT, summary TEXT)`)
  const insert = database.prepare('INSERT OR REPLACE INTO notes VALUES (?, ?, ?, ?, ?)')
  let count = 0
  for await (const note of client.notes.list({ limit: 100 })) {
    const transcript = await client.notes.transcript(note.note_id)
    const summary = await client.notes.summary(note.note_id)
    insert.run(
      note.note_id,
      note.title ?? null,
      JSON.stringify(note),
      JSON.stringify(transcript),
      JSON.stringify(summary),
    )
    count += 1
    if (count === Number(number)) break
  }
  database.close()
  return count
}

/** As many parallel requests as the mirror sends, with plain `fetch`. Repeats the requests for the first page. */
async function bare(): Promise<number> {
  const { notes: listed } = (await read('?limit=100')) as NotePage
  const paths = listed.flatMap(({ note_id }) => [`/${note_id}/transcript`, `/${note_id}/summary`])
  let left = 2 * Number(number)
  const work = async () => {
    for (; left > 0; await read(paths[left % paths.length] ?? '')) left -= 1
  }
  await Promise.all(Array.from({ length: Number(path) }, work))
  return Number(number)
}

async function read(path: string): Promise<unknown> {
  return (await fetch(`${baseUrl}/v1/notes${path}`, { headers: { authorization: `Bearer ${apiKey}` } })).json()
}

function unknownVariant(): never {
  throw new Error(`unknown variant ${variant}`)
}
