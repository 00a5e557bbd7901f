import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { noteAt, noteIdAt, REVISION, sampleNotes, UPDATED_AT } from './mirror-notes.ts'

// Runs as a separate process: a service with many accounts of 20 notes each, which answers from memory. The key is
// `ntw_live_ACCOUNT.key`. The first argument is the number of notes of accounts whose names begin with `big`. Requests of
// `limited` get 429, requests of `hanging` no answer. Answers the message 'requests' with the number of requests since the last such message.
// `POST /change?account=…&note=…` edits a note and answers its revision.
const [notesOfBig = 100_000] = process.argv.slice(2).map(Number)

const NOTES = 20
const LARGEST_PAGE = 100
const samples = await sampleNotes()
/** The changed notes by account and index. */
const changed = new Map<string, Map<number, { readonly revision: number; readonly at: string }>>()
let requests = 0

process.on('disconnect', () => process.exit())
process.on('message', () => {
  process.send?.({ requests })
  requests = 0
})
const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
  requests += 1
  answer(request, response)
})
server.listen(0, '127.0.0.1', () => {
  process.send?.({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})

function answer({ url = '', method, headers }: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(url, 'http://service')
  const send = (body: object, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  if (method === 'POST') return void send(change(searchParams.get('account') ?? '', Number(searchParams.get('note'))))
  const account = /ntw_live_(?<name>[\w-]+)\./.exec(headers.authorization ?? '')?.groups?.['name'] ?? ''
  if (account === 'hanging') return
  if (account === 'limited') {
    response.setHeader('retry-after', '5')
    return void send({ error: { code: 'rate_limited', message: 'Slow down.' } }, 429)
  }
  const noteId = pathname.split('/')[3]
  if (noteId === undefined) return void send(pageFor(account, searchParams))
  const index = Number.parseInt(noteId.slice(-6), 36)
  send(noteOf(account, index))
}

function change(account: string, index: number): object {
  const notes = changed.get(account) ?? new Map()
  const revision = (notes.get(index)?.revision ?? REVISION) + 1
  changed.set(account, notes.set(index, { revision, at: new Date().toISOString() }))
  return { revision, noteId: noteIdAt(index) }
}

function pageFor(account: string, query: URLSearchParams): object {
  const after = query.get('updated_after')
  const all = account.startsWith('big') ? notesOfBig : NOTES
  const isYoung = after === null || after < UPDATED_AT
  const listed = isYoung ? undefined : [...(changed.get(account) ?? [])].filter(([, { at }]) => at > after)
  const total = listed?.length ?? all
  const begin = Number(query.get('cursor') ?? 0)
  const end = Math.min(begin + Math.min(Number(query.get('limit') ?? 50), LARGEST_PAGE), total)
  const notes = Array.from({ length: Math.max(0, end - begin) }, (_, place) =>
    noteOf(account, listed?.[begin + place]?.[0] ?? begin + place),
  )
  return { notes, next_cursor: end < total ? String(end) : null, has_more: end < total }
}

function noteOf(account: string, index: number): object {
  const change = changed.get(account)?.get(index)
  return { ...noteAt(index, samples, change?.revision), ...(change && { updated_at: change.at }) }
}
