import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { anEvent, signAttempt } from '@notewire/webhooks/testing'
import { indexOf, noteAt, noteIdAt, REVISION, sampleNotes, UPDATED_AT, wholeNoteAt } from './mirror-notes.ts'

// Runs as a separate process: a service that answers from memory with a fixed latency. Sends `{ baseUrl, apiKey, secret }` when
// it listens, and executes these orders:
// - `'requests'`: answers `{ requests }`, the number of requests since the last such order
// - `{ notes }`: sets the number of notes
// - `{ change, kind, url }`: changes or deletes the note at an index and delivers the event
// The last argument is the number of notes whose content takes 5 s.
const [first = 0, latencyMs = 0, slowNotes = 0] = process.argv.slice(2).map(Number)

type Order = 'requests' | { readonly notes: number } | Change

interface Change {
  readonly change: number
  readonly kind: 'note.updated' | 'note.deleted'
  readonly url: string
}

const SECRET = 'whsec_c2VjcmV0LW9mLWEtYmVuY2htYXJrLWFuZC1ubyBvdGhlcg'
const LARGEST_PAGE = 100
const SLOW_MS = 5_000
const samples = await sampleNotes()
const changed = new Map<number, { readonly revision: number; readonly at: string; readonly isDeleted: boolean }>()
let notes = first
let requests = 0

process.on('disconnect', () => process.exit())
process.on('message', async (order: Order) => {
  process.send?.(await execute(order))
})
// Long, because the process of the client may be busy.
const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
  requests += 1
  const { status, body } = answerTo(request)
  const answer = () => response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  const waitMs = isSlow(request) ? SLOW_MS : latencyMs
  if (waitMs === 0) answer()
  else setTimeout(answer, waitMs)
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.send?.({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'ntw_live_benchmark.key', secret: SECRET })
})

function isSlow({ url = '' }: IncomingMessage): boolean {
  const [, , , noteId = '', part] = url.split('/')
  return slowNotes > 0 && part === 'transcript' && indexOf(noteId) % Math.floor(first / slowNotes) === 0
}

async function execute(order: Order): Promise<object> {
  if (order === 'requests') {
    const told = requests
    requests = 0
    return { requests: told }
  }
  if ('notes' in order) {
    notes = order.notes
    return {}
  }
  return await deliver(order)
}

async function deliver({ change, kind, url }: Change): Promise<object> {
  const revision = (changed.get(change)?.revision ?? REVISION) + 1
  const isDeleted = kind === 'note.deleted'
  changed.set(change, { revision, at: new Date().toISOString(), isDeleted })
  const event = anEvent({ kind, noteId: noteIdAt(change), revision, summaryStatus: 'ready' })
  const { status } = await fetch(url, { method: 'POST', ...(await signAttempt(SECRET, event)) })
  return { status, revision }
}

interface Answer {
  readonly status: number
  readonly body: string
}

const NOT_FOUND: Answer = { status: 404, body: '{"error":{"code":"not_found","message":"There is no such note."}}' }

function answerTo({ url = '' }: IncomingMessage): Answer {
  const [path = '', query = ''] = url.split('?')
  const [, , , noteId, part] = path.split('/')
  if (noteId === undefined) return { status: 200, body: pageFor(new URLSearchParams(query)) }
  const index = indexOf(noteId)
  if (!(index < notes)) return NOT_FOUND
  if (part === undefined) return { status: 200, body: noteJson(index) }
  if (changed.get(index)?.isDeleted === true) return NOT_FOUND
  const { transcript, summary } = wholeNoteAt(index, samples, revisionOf(index))
  return { status: 200, body: JSON.stringify(part === 'transcript' ? transcript : summary) }
}

function pageFor(query: URLSearchParams): string {
  const after = query.get('updated_after')
  const listed = after === null ? undefined : changesAfter(after)
  const begin = Number(query.get('cursor') ?? 0)
  const end = Math.min(begin + Math.min(Number(query.get('limit') ?? 50), LARGEST_PAGE), listed?.length ?? notes)
  const hasMore = end < (listed?.length ?? notes)
  const items = Array.from({ length: Math.max(0, end - begin) }, (_, place) => {
    const index = begin + place
    return noteJson(listed?.[index] ?? index)
  })
  return `{"notes":[${items.join(',')}],"next_cursor":${hasMore ? `"${end}"` : null},"has_more":${hasMore}}`
}

/** Only changed notes are newer than a watermark. */
function changesAfter(after: string): readonly number[] {
  if (after < UPDATED_AT) return Array.from({ length: notes }, (_, index) => index)
  return [...changed].filter(([, { at }]) => at > after).map(([index]) => index)
}

function noteJson(index: number): string {
  const change = changed.get(index)
  const note = noteAt(index, samples, revisionOf(index))
  if (change === undefined) return JSON.stringify(note)
  const { at, isDeleted } = change
  const tombstone = { title: null, content: null, status: 'deleted', deleted_at: at }
  return JSON.stringify({ ...note, updated_at: at, ...(isDeleted && tombstone) })
}

function revisionOf(index: number): number {
  return changed.get(index)?.revision ?? REVISION
}
