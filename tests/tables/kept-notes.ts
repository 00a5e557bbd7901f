import type { Note } from '@notewire/protocol'

/** A note as the service has it. */
export interface KeptNote {
  readonly note: Note
  readonly transcript?: string
  readonly summary?: string
}

/**
 * A service that has these notes and nothing else: the mock server may make other notes of the same seed in a later version, and these
 * must stay the same.
 *
 * @param now  the time of the service, in milliseconds since the Unix epoch
 * @param onAsk  receives the path and query of each request
 */
export function serviceOf(
  notes: ReadonlyMap<string, KeptNote>,
  now: () => number,
  onAsk: (asked: string) => void = () => undefined,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const { pathname, searchParams, search } = new URL(request.url)
    onAsk(`${pathname}${search}`)
    const headers = { date: new Date(now()).toUTCString() }
    const [noteId, part] = pathname.split('/').slice(3)
    if (noteId === undefined) return Response.json(pageOf(notes, searchParams), { headers })
    const body = bodyOf(notes.get(noteId), part)
    if (body !== undefined) return Response.json(body, { headers })
    const code = notes.has(noteId) ? 'not_ready' : 'not_found'
    return Response.json({ error: { code, message: code } }, { status: 404, headers })
  }
}

const NOTES_ON_A_PAGE = 2

function pageOf(notes: ReadonlyMap<string, KeptNote>, query: URLSearchParams) {
  const changedAfter = Date.parse(query.get('updated_after') ?? '1970-01-01T00:00:00Z')
  const listed = [...notes.values()]
    .map(({ note }) => note)
    .filter(({ updated_at }) => Date.parse(updated_at ?? '') >= changedAfter)
  const begin = Number(query.get('cursor') ?? 0)
  const end = begin + NOTES_ON_A_PAGE
  const hasMore = end < listed.length
  return { notes: listed.slice(begin, end), next_cursor: hasMore ? String(end) : null, has_more: hasMore }
}

function bodyOf(kept: KeptNote | undefined, part: string | undefined): unknown {
  if (kept === undefined || part === undefined) return kept?.note
  const { note, transcript, summary } = kept
  const { note_id, revision } = note
  if (part === 'summary') return summary && { note_id, revision, status: 'ready', markdown: summary }
  const segments = [{ speaker: 'Ada', start_ms: 0, end_ms: 900, text: transcript }]
  return transcript && { note_id, revision, text: transcript, segments }
}
