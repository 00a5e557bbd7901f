import { NotesClient } from '@notewire/client'
import type { NotePage } from '@notewire/protocol'

// Started as a process of its own. Lists all notes of a service, and says how many there were and how much processor time
// they took: `{ notes, cpu }`, in microseconds.
const [variant = '', baseUrl = '', apiKey = ''] = process.argv.slice(2)
const WARM_UP = 10_000

process.on('disconnect', () => process.exit())
const countNotes = variant === 'notewire' ? countByClient() : countByFetch
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

/** What one writes in a hurry: it checks nothing, tries nothing again and waits for ever. */
async function countByFetch(most: number): Promise<number> {
  const headers = { authorization: `Bearer ${apiKey}` }
  let count = 0
  let cursor: string | null = ''
  while (cursor !== null) {
    const response = await fetch(`${baseUrl}/v1/notes?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`, {
      headers,
    })
    const page = (await response.json()) as NotePage
    for (const note of page.notes) {
      if (note.revision > 0) count += 1
      if (count === most) return count
    }
    cursor = page.next_cursor
  }
  return count
}
