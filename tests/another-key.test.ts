import { type NoteSource, NotesClient, noteHandlers } from '@notewire/client'
import { createNotesService, type NotesService, type Owner } from '@notewire/mock-server'
import type { NoteEvent } from '@notewire/protocol'
import { createReceiver, createReceivers, type ProcessOutcome, queuedEvent } from '@notewire/webhooks'
import { describe, expect, it } from 'vitest'

const SECRET = 'whsec_bm90ZXdpcmUtYW5vdGhlci1rZXktdGVzdHM'
const HOUR = 3_600_000
const REFUSED = 'failed: key_unproven'

/** A service with two accounts, and the notes that each handler changed and removed. */
async function twoAccounts() {
  // Evidence is kept for the process: another seed makes other keys.
  seed += 1
  const service = await createNotesService({ seed, owners: 2 })
  const [own, other] = service.owners
  if (own === undefined || other === undefined) throw new Error('the service has no two accounts')
  const done: string[] = []
  const parts = {
    changed: ({ note }: { readonly note: { readonly note_id: string } }) => void done.push(`changed ${note.note_id}`),
    removed: ({ noteId }: { readonly noteId: string }) => void done.push(`removed ${noteId}`),
  }
  const clientOf = ({ apiKey }: { readonly apiKey: string }) => clientWith(service, apiKey)
  return { service, own, other, done, parts, clientOf, [Symbol.asyncDispose]: () => service.close() }
}

let seed = 7_000
let events = 0

function clientWith({ baseUrl, fetch }: NotesService, apiKey: string): NotesClient {
  return new NotesClient({ baseUrl, apiKey, fetch, maxRetries: 0 })
}

function aNoteOf(owner: Owner): string {
  return owner.record().note.note_id
}

function anEvent(
  service: NotesService,
  note_id: string,
  ageMs: number,
  kind: NoteEvent['event_type'] = 'note.updated',
) {
  events += 1
  const occurred_at = new Date(service.clock.now() - ageMs).toISOString()
  return { event_id: `evt_${events}`, event_type: kind, occurred_at, data: { note_id, revision: 1 } } as NoteEvent
}

function shown(outcome: ProcessOutcome): string {
  return outcome.status === 'failed' ? `failed: ${(outcome.error as { readonly code?: string }).code}` : outcome.status
}

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }

describe('a receiver with the API key of another integration', () => {
  /** Each takes an event, and returns what came of it. */
  const shapes = {
    createReceiver: (source: () => NoteSource, parts: Parts) => {
      const receiver = createReceiver({ secret: SECRET, logger: quiet, ...noteHandlers(source, parts) })
      return (event: NoteEvent) => receiver.process(event)
    },
    createReceivers: (source: () => NoteSource, parts: Parts) => {
      const receivers = createReceivers({ secretOf: () => SECRET, logger: quiet, ...noteHandlers(source, parts) })
      return (event: NoteEvent) => receivers.process(event, { integration: 'customer-1' })
    },
    'a queue': (source: () => NoteSource, parts: Parts) => (event: NoteEvent) => {
      // A worker that makes everything for each job.
      const receiver = createReceiver({ secret: SECRET, logger: quiet, ...noteHandlers(source(), parts) })
      const job = queuedEvent(JSON.parse(JSON.stringify({ integration: 'default', event })))
      return receiver.process(job.event, { integration: job.integration })
    },
  }
  type Parts = Awaited<ReturnType<typeof twoAccounts>>['parts'] & { readonly requireKeyProof?: boolean }

  describe.each(Object.entries(shapes))('%s', (_, start) => {
    it('removes no note after a 404, at any age of the event', async () => {
      await using world = await twoAccounts()
      const { service, own, other, done } = world
      const handle = start(() => world.clientOf(other), world.parts)
      for (const age of [60_000, 10 * 60_000, HOUR, HOUR + 1, 26 * HOUR]) {
        expect(shown(await handle(anEvent(service, aNoteOf(own), age)))).toBe(REFUSED)
      }
      const { occurred_at: _, ...withoutTime } = anEvent(service, aNoteOf(own), 0)
      expect(shown(await handle(withoutTime as NoteEvent))).toBe(REFUSED)
      expect(done).toEqual([])
    })

    it('removes a note after a 404 once the right key has returned a note that an event named', async () => {
      await using world = await twoAccounts()
      const { service, own, other, done } = world
      let key = other.apiKey
      const handle = start(() => clientWith(service, key), world.parts)
      const gone = anEvent(service, aNoteOf(own), HOUR)
      own.notes().at(-1)?.moveTo(own.createChannel('elsewhere'))
      expect(shown(await handle(gone))).toBe(REFUSED)
      key = own.apiKey
      expect(shown(await handle(gone))).toBe(REFUSED)
      const kept = aNoteOf(own)
      expect(shown(await handle(anEvent(service, kept, HOUR)))).toBe('applied')
      expect(shown(await handle(gone))).toBe('applied')
      expect(done).toEqual([`changed ${kept}`, `removed ${gone.data.note_id}`])
      // Another key is unproven again.
      key = other.apiKey
      expect(shown(await handle(anEvent(service, aNoteOf(own), HOUR)))).toBe(REFUSED)
    })

    it('removes a note that note.deleted names', async () => {
      await using world = await twoAccounts()
      const noteId = aNoteOf(world.own)
      const handle = start(() => world.clientOf(world.other), world.parts)
      const event = anEvent(world.service, noteId, HOUR, 'note.deleted')
      expect(shown(await handle(event))).toBe('applied')
      expect(world.done).toEqual([`removed ${noteId}`])
    })

    it('removes a note after a 404 without evidence if requireKeyProof is false', async () => {
      await using world = await twoAccounts()
      const noteId = aNoteOf(world.own)
      const handle = start(() => world.clientOf(world.other), { ...world.parts, requireKeyProof: false })
      expect(shown(await handle(anEvent(world.service, noteId, HOUR)))).toBe('applied')
      expect(world.done).toEqual([`removed ${noteId}`])
    })

    it('waits for a note in the first minute', async () => {
      await using world = await twoAccounts()
      const handle = start(() => world.clientOf(world.other), world.parts)
      const outcome = await handle(anEvent(world.service, aNoteOf(world.own), 59_000))
      expect(shown(outcome)).toBe('failed: note_not_current')
    })
  })
})

describe('evidence for an API key', () => {
  it('is a tombstone, too, and a note whose content the key may not read', async () => {
    for (const fault of [undefined, { kind: 'status', status: 403 } as const]) {
      await using world = await twoAccounts()
      const { service, own, done } = world
      const receiver = receiverOf(world.clientOf(own), world.parts)
      const [first, second] = [aNoteOf(own), aNoteOf(own)]
      if (fault === undefined)
        own
          .notes()
          .find(({ note_id }) => note_id === first)
          ?.delete()
      else service.faults.inject({ request: 'GET /v1/notes/*/*', fault })
      await receiver.process(anEvent(service, first, HOUR))
      done.length = 0
      own
        .notes()
        .find(({ note_id }) => note_id === second)
        ?.moveTo(own.createChannel('elsewhere'))
      expect(shown(await receiver.process(anEvent(service, second, HOUR)))).toBe('applied')
      expect(done).toEqual([`removed ${second}`])
    }
  })

  it('counts for one integration alone', async () => {
    await using world = await twoAccounts()
    const { service, own, other, done } = world
    // The function returns the key of the first customer for all.
    const handlers = noteHandlers(() => world.clientOf(own), world.parts)
    const receivers = createReceivers({ secretOf: () => SECRET, logger: quiet, ...handlers })
    const process = async (owner: Owner, integration: string) =>
      shown(await receivers.process(anEvent(service, aNoteOf(owner), HOUR), { integration }))
    expect(await process(own, 'customer-1')).toBe('applied')
    expect(await process(other, 'customer-2')).toBe(REFUSED)
    expect(done).toHaveLength(1)
  })

  it('counts for one base URL alone', async () => {
    await using world = await twoAccounts()
    const { service, own } = world
    expect(
      shown(await receiverOf(world.clientOf(own), world.parts).process(anEvent(service, aNoteOf(own), HOUR))),
    ).toBe('applied')
    const fetch = async ({ url }: Request) =>
      new URL(url).pathname === '/v1/notes'
        ? Response.json({ notes: [], next_cursor: null })
        : Response.json({ error: { code: 'not_found', message: 'no' } }, { status: 404 })
    const elsewhere = new NotesClient({ baseUrl: 'https://staging.example', apiKey: own.apiKey, fetch, maxRetries: 0 })
    const outcome = await receiverOf(elsewhere, world.parts).process(anEvent(service, aNoteOf(own), HOUR))
    expect(shown(outcome)).toBe(REFUSED)
  })

  it('is kept for copies of a client, and for an object of another kind', async () => {
    await using world = await twoAccounts()
    const { service, own, done } = world
    const client = world.clientOf(own)
    await receiverOf(client, world.parts).process(anEvent(service, aNoteOf(own), HOUR))
    const missing = () => anEvent(service, 'note_that_is_missing', HOUR)
    const notes = { get: client.notes.get.bind(client.notes), transcript: unused, summary: unused }
    for (const copy of [{ ...client }, { notes: client.notes, serviceTime: () => undefined }, { ...client, notes }]) {
      expect(shown(await receiverOf(copy, world.parts).process(missing()))).toBe('applied')
    }
    const own404 = { notes, serviceTime: () => undefined }
    expect(shown(await receiverOf(own404, world.parts).process(missing()))).toBe(REFUSED)
    const tombstone = { note_id: 'n1', revision: 1, status: 'deleted' }
    const get = async (noteId: string) => (noteId === 'n1' ? tombstone : await client.notes.get(noteId))
    const found = { serviceTime: () => undefined, notes: { ...notes, get } }
    await receiverOf(found, world.parts).process(anEvent(service, 'n1', HOUR))
    done.length = 0
    expect(shown(await receiverOf(found, world.parts).process(missing()))).toBe('applied')
    expect(done).toEqual(['removed note_that_is_missing'])
  })

  it('is told by an error that names the causes, and neither the key nor the note', async () => {
    await using world = await twoAccounts()
    const noteId = aNoteOf(world.own)
    const lines: string[] = []
    const logger = { ...quiet, error: (...line: unknown[]) => void lines.push(JSON.stringify(line)) }
    const handlers = noteHandlers(world.clientOf(world.other), world.parts)
    const receiver = createReceiver({ secret: SECRET, logger, ...handlers })
    const outcome = await receiver.process(anEvent(world.service, noteId, HOUR))
    expect(outcome).toMatchObject({ error: { code: 'key_unproven', noteId, integration: 'default' } })
    expect(lines.join()).toContain('The API key may belong to another integration')
    expect(lines.join()).not.toContain(world.other.apiKey)
  })
})

type Parts = Awaited<ReturnType<typeof twoAccounts>>['parts']

function receiverOf(source: NoteSource, parts: Parts) {
  return createReceiver({ secret: SECRET, logger: quiet, ...noteHandlers(source, parts) })
}

async function unused(): Promise<never> {
  throw new Error('not used')
}
