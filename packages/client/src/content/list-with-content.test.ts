import { createNotesService } from '@notewire/mock-server'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { errorOf } from '../../fixtures/error-of.ts'
import { API_KEY } from '../../fixtures/secrets.ts'
import { serve } from '../../fixtures/wire-server.ts'
import { NotesClient } from '../notes-client.ts'

let unhandled: unknown[] = []
const remember = (reason: unknown) => void unhandled.push(reason)

beforeEach(() => {
  unhandled = []
  process.on('unhandledRejection', remember)
})

afterEach(async () => {
  await turns()
  process.off('unhandledRejection', remember)
  expect(unhandled).toEqual([])
})

describe('notes.listWithContent', () => {
  it('yields each note once and in order, and reads at most `concurrency` notes at once', async () => {
    const latencies = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 20 })
    const settings = fc.record({
      notes: fc.nat({ max: 25 }),
      limit: fc.integer({ min: 1, max: 7 }),
      concurrency: fc.integer({ min: 1, max: 6 }),
      slowConsumer: fc.boolean(),
      latencies,
    })
    await fc.assert(
      fc.asyncProperty(settings, async ({ notes, limit, concurrency, slowConsumer, latencies }) => {
        const service = contentService(notes, (count) => turns(latencies[count % latencies.length]))
        const seen: string[] = []
        for await (const { note, transcript, summary } of service.client.notes.listWithContent(
          { limit },
          { concurrency },
        )) {
          expect(service.begun.size).toBeLessThanOrEqual(seen.length + concurrency)
          seen.push(note.note_id)
          expect(transcript).toMatchObject({ status: 'ready', transcript: { note_id: note.note_id, text: 'said' } })
          expect(summary).toMatchObject({ status: 'ready', summary: { markdown: '# Sum' } })
          if (slowConsumer) await turns(20)
          // The current note, and those that wait for the loop.
          expect(service.begun.size).toBeLessThanOrEqual(seen.length + concurrency - 1)
        }
        expect(seen).toEqual(service.noteIds)
        expect(service.mostAtOnce).toBeLessThanOrEqual(2 * concurrency)
      }),
      { numRuns: 60 },
    )
  })

  it('uses the whole concurrency', async () => {
    const service = contentService(20, () => turns(3))
    await Array.fromAsync(service.client.notes.listWithContent({}, { concurrency: 5 }))
    expect(service.mostAtOnce).toBe(10)
  })

  it('lists the notes of the reference service', async () => {
    await using service = await createNotesService({ notes: 7 })
    service.owner.record({ title: 'under way' })
    const silent = service.owner.record().end({ transcript: [], summary: false })
    const deleted = service.owner.record().end()
    deleted.delete()
    const { baseUrl, apiKey, fetch } = service
    const { notes } = new NotesClient({ baseUrl, apiKey, fetch })
    const listed = await Array.fromAsync(notes.listWithContent({ limit: 4, include_deleted: true }))
    expect(listed.map(({ transcript, summary }) => `${transcript.status} ${summary.status}`)).toEqual([
      ...Array<string>(7).fill('ready ready'),
      'not_ready not_ready',
      'empty missing',
      'gone gone',
    ])
    expect(listed[8]?.note.note_id).toBe(silent.note_id)
  })
})

describe('missing content', () => {
  const READY = { transcript: { text: 'said' }, summary: { markdown: '# Sum' } }

  it.each([
    ['pending', 'not_ready'],
    ['empty', 'empty'],
    ['failed', 'failed'],
  ])('has the status of the listing, without another request: transcript %s is %s', async (listed, status) => {
    const { content, requests } = await contentOf({ transcript_status: listed }, READY)
    expect(content?.transcript).toEqual({ status })
    expect(requests).not.toContain('/v1/notes/n0/transcript')
  })

  it.each([
    ['pending', 'not_ready'],
    ['missing', 'missing'],
    ['failed', 'failed'],
  ])('has the status of the listing, without another request: summary %s is %s', async (listed, status) => {
    const { content, requests } = await contentOf({ summary_status: listed }, READY)
    expect(content?.summary).toEqual({ status })
    expect(requests).not.toContain('/v1/notes/n0/summary')
  })

  it.each(['ready', 'archived', null, undefined])('is read if its status in the listing is %j', async (listed) => {
    const { content } = await contentOf({ transcript_status: listed, summary_status: listed }, READY)
    expect(content).toMatchObject({ transcript: { status: 'ready' }, summary: { status: 'ready' } })
  })

  it.each([
    ['pending', 'not_ready'],
    ['missing', 'missing'],
    ['failed', 'failed'],
    ['archived', 'not_ready'],
    [undefined, 'not_ready'],
  ])('has the status of the summary: %s is %s', async (answered, status) => {
    const { content } = await contentOf({}, { summary: { status: answered, markdown: null } })
    expect(content?.summary).toEqual({ status })
  })

  it.each([
    ['404 not_ready', () => Response.json({ error: { code: 'not_ready' } }, { status: 404 })],
    ['409', () => new Response(null, { status: 409 })],
    ['202', () => new Response(null, { status: 202 })],
  ])('is not_ready if the service answers %s', async (_, answer) => {
    const { content } = await contentOf({ transcript_status: 'ready' }, { transcript: answer, summary: answer })
    expect(content).toMatchObject({ transcript: { status: 'not_ready' }, summary: { status: 'not_ready' } })
  })

  it.each([
    ['is content_not_found if its status in the listing is ready', 'ready', 'content_not_found'],
    ['is not_ready if it has no status in the listing', undefined, 'not_ready'],
  ])('that answers 404 %s', async (_, listed, status) => {
    const answer = () => new Response(null, { status: 404 })
    const note = { transcript_status: listed, summary_status: listed }
    const { content } = await contentOf(note, { transcript: answer, summary: answer })
    expect(content).toMatchObject({ transcript: { status }, summary: { status } })
  })

  it('is not requested if the note is a tombstone', async () => {
    const { content, requests } = await contentOf({ status: 'deleted', transcript_status: 'ready' }, READY)
    expect(content).toMatchObject({ transcript: { status: 'gone' }, summary: { status: 'gone' } })
    expect(requests).toEqual(['/v1/notes'])
  })
})

describe('notes.content', () => {
  it('reads transcript and summary concurrently', async () => {
    const service = contentService(1, () => turns(3))
    const note = { note_id: 'n0', revision: 1, transcript_status: 'ready', summary_status: 'ready' }
    const content = await service.client.notes.content(note)
    expect(content).toMatchObject({ note, transcript: { status: 'ready' }, summary: { status: 'ready' } })
    expect(service.requests).toEqual(['/v1/notes/n0/transcript', '/v1/notes/n0/summary'])
    expect(service.mostAtOnce).toBe(2)
  })

  it('sends no request for content that is missing according to the note', async () => {
    const service = contentService(1, () => turns(1))
    const note = { note_id: 'n0', revision: 1, transcript_status: 'empty', summary_status: 'pending' }
    expect(await service.client.notes.content(note)).toMatchObject({
      transcript: { status: 'empty' },
      summary: { status: 'not_ready' },
    })
    expect(service.requests).toEqual([])
  })
})

describe('a request for content that fails', () => {
  it.each([
    ['transcript', 'summary'],
    ['summary', 'transcript'],
  ])('ends the other one: %s', async (failing, waiting) => {
    const closed: string[] = []
    const answers = new Map([[`/v1/notes/n0/${failing}`, { status: 403 }]])
    await using server = await serve(
      ({ url }) => answers.get(url) ?? ((response) => response.on('close', () => closed.push(url))),
    )
    const { notes } = new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY })
    const began = performance.now()
    const error = await errorOf(notes.content({ note_id: 'n0', revision: 1 }))
    expect(error).toMatchObject({ code: 'forbidden' })
    await expect.poll(() => closed, { timeout: 2_000 }).toEqual([`/v1/notes/n0/${waiting}`])
    expect(performance.now() - began).toBeLessThan(3_000)
  })

  it('that its signal aborts rejects with the reason', async () => {
    const controller = new AbortController()
    const added = vi.spyOn(controller.signal, 'addEventListener')
    const removed = vi.spyOn(controller.signal, 'removeEventListener')
    const service = contentService(1, (_, __, signal) => hanging(signal))
    const reading = service.client.notes.content({ note_id: 'n0', revision: 1 }, { signal: controller.signal })
    await turns(3)
    controller.abort(new Error('enough'))
    await expect(reading).rejects.toBe(controller.signal.reason)
    await turns(3)
    expect(service.inFlight).toBe(0)
    expect(removed).toHaveBeenCalledTimes(added.mock.calls.length)
  })
})

describe('the loop over notes with content', () => {
  it('throws the error of a note when it reaches the note, and aborts the other requests', async () => {
    const service = contentService(20, async (_, path, signal) => {
      if (path === '/v1/notes/n2/summary') throw new Response(null, { status: 403 })
      if (Number(/\d+/.exec(path.slice(4))?.[0]) > 2) await hanging(signal)
    })
    const seen: string[] = []
    const error = await errorOf(
      (async () => {
        for await (const { note } of service.client.notes.listWithContent()) seen.push(note.note_id)
      })(),
    )
    expect(error).toMatchObject({ code: 'forbidden' })
    expect(seen).toEqual(['n0', 'n1'])
    await turns(5)
    expect(service.inFlight).toBe(0)
  })

  it('aborts the requests in flight when it is left', async () => {
    const service = contentService(20, async (_, path, signal) => {
      if (/n[1-9]/.test(path)) await hanging(signal)
    })
    for await (const { note } of service.client.notes.listWithContent()) {
      expect(note.note_id).toBe('n0')
      expect(service.inFlight).toBeGreaterThan(0)
      break
    }
    expect(service.inFlight).toBe(0)
    const sent = service.requests.length
    await turns(20)
    expect(service.requests).toHaveLength(sent)
  })

  it('aborts the request for a page when it is left', async () => {
    const service = contentService(20, async (_, path, signal) => {
      if (path === '/v1/notes' && service.requests.length > 1) await hanging(signal)
    })
    for await (const _ of service.client.notes.listWithContent({ limit: 2 })) break
    expect(service.inFlight).toBe(0)
  })

  it('throws the reason of its signal at the next note, and aborts the requests in flight', async () => {
    const controller = new AbortController()
    const service = contentService(20, async (_, path, signal) => {
      if (path.startsWith('/v1/notes/n3/')) await hanging(signal)
    })
    const seen: string[] = []
    const loop = async () => {
      for await (const { note } of service.client.notes.listWithContent({}, { signal: controller.signal })) {
        seen.push(note.note_id)
        controller.abort(new Error('enough'))
      }
    }
    await expect(loop()).rejects.toThrow('enough')
    expect(seen).toEqual(['n0'])
    await turns(5)
    expect(service.inFlight).toBe(0)
  })

  it('leaves no unhandled rejection if it is abandoned and requests fail', async () => {
    const service = contentService(20, async (_, path) => {
      if (/n[1-9]/.test(path)) throw new Response(null, { status: 403 })
    })
    await service.client.notes.listWithContent()[Symbol.asyncIterator]().next()
    await turns(50)
  })

  it('throws the error of the list after the notes before it', async () => {
    const service = contentService(20, async (_, path) => {
      if (path === '/v1/notes' && service.requests.length > 1) throw new Response(null, { status: 401 })
    })
    const seen: string[] = []
    const loop = async () => {
      for await (const { note } of service.client.notes.listWithContent({ limit: 3 })) seen.push(note.note_id)
    }
    expect(await errorOf(loop())).toMatchObject({ code: 'unauthorized' })
    expect(seen).toEqual(['n0', 'n1', 'n2'])
  })

  it.each([
    ['concurrency', {}, { concurrency: 0 }],
    ['concurrency', {}, { concurrency: 1.5 }],
    ['concurrency', {}, { concurrency: Number.POSITIVE_INFINITY }],
    ['updatedAfter', { updatedAfter: '' }, {}],
    ['cursor', { cursor: '' }, {}],
  ])('throws at once an error that names %s, for %o and %o', (option, query: object, options: object) => {
    const { client } = contentService(0, turns)
    expect(() => client.notes.listWithContent(query, options)).toThrow(expect.objectContaining({ option }))
  })
})

/** Lists a single note, and returns its content and the requests. */
async function contentOf(note: object, answers: Readonly<Record<string, object | (() => Response)>>) {
  const requests: string[] = []
  const fetch = async (request: Request) => {
    const { pathname } = new URL(request.url)
    requests.push(pathname)
    if (pathname === '/v1/notes')
      return Response.json({ notes: [{ note_id: 'n0', revision: 1, ...note }], has_more: false })
    const answer = answers[pathname.split('/').at(-1) ?? ''] ?? { text: '', markdown: '' }
    return answer instanceof Function ? answer() : Response.json({ note_id: 'n0', ...answer })
  }
  const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: API_KEY, fetch, maxRetries: 0 })
  const [content] = await Array.fromAsync(client.notes.listWithContent({ include_deleted: true }))
  return { content, requests }
}

/** Delays a request, and may throw another response. */
type Handling = (count: number, path: string, signal: AbortSignal) => Promise<void>

/** A service in the same process with `count` notes. It records how it is used. */
function contentService(count: number, handle: Handling) {
  const noteIds = Array.from({ length: count }, (_, index) => `n${index}`)
  const service = { noteIds, begun: new Set<string>(), requests: [] as string[], inFlight: 0, mostAtOnce: 0 }
  let contents = 0
  const fetch = async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url)
    const [, , , noteId] = pathname.split('/')
    service.requests.push(pathname)
    service.inFlight += 1
    if (noteId !== undefined) {
      service.begun.add(noteId)
      contents += 1
      service.mostAtOnce = Math.max(service.mostAtOnce, contents)
    }
    try {
      await handle(service.requests.length, pathname, request.signal)
    } catch (thrown) {
      if (thrown instanceof Response) return thrown
      throw thrown
    } finally {
      service.inFlight -= 1
      if (noteId !== undefined) contents -= 1
    }
    if (noteId !== undefined) return Response.json({ note_id: noteId, text: 'said', markdown: '# Sum' })
    const start = Number(searchParams.get('cursor') ?? 0)
    const end = start + Number(searchParams.get('limit') ?? 50)
    const notes = noteIds.slice(start, end).map((note_id) => ({ note_id, revision: 1 }))
    return Response.json({ notes, next_cursor: end < count ? `${end}` : null })
  }
  const options = { baseUrl: 'https://notes.example', apiKey: API_KEY, fetch, maxRetries: 0 }
  return Object.assign(service, { client: new NotesClient(options) })
}

/** Like `fetch`, it also rejects if the signal is already aborted. */
async function hanging(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  return await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}

async function turns(count = 5): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
