import { NotesClient } from '@notewire/client'
import { createMirror, type Mirror } from '@notewire/mirror'
import type { NotePage } from '@notewire/protocol'
import { openStore, type StorePlace } from './mirror-stores.ts'
import { peakMemoryMb } from './peak-memory.ts'

// Runs as a separate process, so that its memory can be measured. Lists all notes of a mirror to warm up, and then of another, and sends the cost of the
// second: `{ seen, missing, ms, cpuMs, maxRssMb }`. Variants: `scan`; `bare` fetches the same pages and keeps nothing.
const [variant = '', ...places] = process.argv.slice(2)

process.on('disconnect', () => process.exit())
const run = variant === 'bare' ? fetchPages : fullListing
await run(places.slice(0, 4))
const began = performance.now()
const cpuBefore = process.cpuUsage()
const found = await run(places.slice(4, 8))
const { user, system } = process.cpuUsage(cpuBefore)
const ms = performance.now() - began
process.send?.({ ...found, ms, cpuMs: (user + system) / 1000, maxRssMb: peakMemoryMb() })

interface Found {
  readonly seen: number
  readonly missing: number
}

async function fullListing([kind, at = '', baseUrl = '', apiKey = '']: readonly string[]): Promise<Found> {
  const { store } = await openStore({ kind: kind as StorePlace['kind'], at })
  const client = new NotesClient({ baseUrl, apiKey })
  const mirror: Mirror = createMirror({ client, store })
  await mirror.sync({ fullListing: 'now' })
  const { lastFullListing } = await mirror.status()
  return { seen: lastFullListing?.seen ?? 0, missing: lastFullListing?.missing ?? 0 }
}

async function fetchPages([, , baseUrl = '', apiKey = '']: readonly string[]): Promise<Found> {
  const headers = { authorization: `Bearer ${apiKey}` }
  let seen = 0
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = `limit=100&include_deleted=true${cursor === '' ? '' : `&cursor=${cursor}`}`
    const page = (await (await fetch(`${baseUrl}/v1/notes?${query}`, { headers })).json()) as NotePage
    seen += page.notes.length
    cursor = page.next_cursor
  }
  return { seen, missing: 0 }
}
