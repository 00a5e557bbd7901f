import { NotesClient } from '@notewire/client'
import type { NotePage } from '@notewire/protocol'
import ky from 'ky'

// Runs as a separate process. Lists all notes of a service, and sends their number and the processor time in microseconds:
// `{ notes, cpu }`.
const [variant = '', baseUrl = '', apiKey = ''] = process.argv.slice(2)
const WARM_UP = 10_000

process.on('disconnect', () => process.exit())
const countNotes =
  variant === 'notewire' ? countByClient() : countByPage(variant === 'a loop with ky' ? pageByKy : pageByFetch)
await countNotes(WARM_UP)
const before = process.cpuUsage()
const notes = await countNotes(Number.POSITIVE_INFINITY)
const { user, system } = process.cpuUsage(before)
process.send?.({ notes, cpu: user + system })

function countByClient() {
  const client = new NotesClient({ baseUrl, apiKey })
  return async (most: number): Promise<number> => {
    let count = 0
    for await (const note of client.notes.list({ limit: 100 })) {
      if (note.revision > 0) count += 1
      if (count === most) break
    }
    return count
  }
}

/** A loop that validates nothing. */
function countByPage(read: (url: string) => Promise<NotePage>) {
  return async (most: number): Promise<number> => {
    let count = 0
    let cursor: string | null = ''
    while (cursor !== null) {
      const page = await read(`${baseUrl}/v1/notes?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`)
      for (const note of page.notes) {
        if (note.revision > 0) count += 1
        if (count === most) return count
      }
      cursor = page.next_cursor
    }
    return count
  }
}

async function pageByFetch(url: string): Promise<NotePage> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } })
  return (await response.json()) as NotePage
}

function pageByKy(url: string): Promise<NotePage> {
  return ky(url, { headers: { authorization: `Bearer ${apiKey}` } }).json<NotePage>()
}
