import { NotesClient } from '@notewire/client'
import { createNotesService, type NotesService } from '@notewire/mock-server'
import { anEvent, signAttempt } from '@notewire/webhooks/testing'
import { expect, it, onTestFinished, vi } from 'vitest'
import { memoryMirror } from '../fixtures/memory-mirror/memory-mirror.ts'
import { onClock } from '../fixtures/on-clock.ts'
import { SILENT } from '../fixtures/silent-logger.ts'
import { withMembers } from '../fixtures/with-members.ts'
import { createMirror, type Mirror, type MirrorStore } from './index.ts'

const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY'

interface LaggingWorld {
  readonly service: NotesService
  readonly mirror: Mirror
  readonly client: NotesClient
  readonly asked: readonly string[]
  /** Records the current answers to reads and listings, and repeats them from now on. */
  freeze(): void
  thaw(): void
  /** Keeps earlier answers for `freeze`, from now on. */
  keepAnswers(): void
  /** Delays the next answer to a path until `release`. `answered` resolves when the service has made the answer. */
  hold(path: string): { readonly answered: Promise<void>; readonly release: () => void }
  /** Delivers an event, and returns the receiver's status. */
  send(event: Parameters<typeof anEvent>[0]): Promise<number>
  hear(event: Parameters<typeof anEvent>[0]): Promise<void>
}

/** A service with a replica that can be frozen. */
async function laggingWorld(contract: object = {}, store: MirrorStore = memoryMirror()): Promise<LaggingWorld> {
  const service = await createNotesService({ contract })
  onTestFinished(() => service.close())
  const answers = new Map<string, { status: number; headers: Headers; body: string }>()
  const asked: string[] = []
  const held = new Map<string, { readonly answered: () => void; readonly released: Promise<void> }>()
  let isFrozen = false
  let keeps = true
  const fetch = async (request: Request) => {
    const { pathname } = new URL(request.url)
    asked.push(pathname)
    const url = request.url.replace(/updated_after=[^&]+&?/, '')
    const known = answers.get(url)
    if (isFrozen && known !== undefined) return new Response(known.body, known)
    const response = await service.fetch(request)
    const answer = { status: response.status, headers: response.headers, body: await response.text() }
    if (!isFrozen && keeps) answers.set(url, answer)
    const hold = held.get(pathname)
    held.delete(pathname)
    hold?.answered()
    await hold?.released
    return new Response(answer.body, answer)
  }
  const { baseUrl, apiKey, clock } = service
  const client = new NotesClient({ baseUrl, apiKey, fetch, maxRetries: 0 })
  const mirror = createMirror({ client, store: onClock(store, clock), logger: SILENT })
  const receiver = mirror.receiver({ secret: SECRET, clock, logger: SILENT })
  async function send(traits: Parameters<typeof anEvent>[0]): Promise<number> {
    const event = { ...anEvent(traits), occurred_at: new Date(clock.now()).toISOString() }
    const attempt = await signAttempt(SECRET, JSON.stringify(event), { signedAt: clock.now() })
    const bytes = new TextEncoder().encode(attempt.body)
    const readBody = async () => ({ status: 'read', bytes }) as const
    const { status } = await receiver.respond({ method: 'POST', path: '/', headers: attempt.headers, readBody })
    return status
  }
  return {
    send,
    service,
    mirror,
    client,
    asked,
    freeze: () => {
      isFrozen = true
    },
    thaw: () => {
      isFrozen = false
    },
    keepAnswers: () => {
      keeps = false
    },
    hold(path) {
      const answered = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      held.set(path, { answered: answered.resolve, released: released.promise })
      return { answered: answered.promise, release: released.resolve }
    },
    async hear(traits) {
      expect(await send(traits)).toBe(204)
    },
  }
}

async function aNoteIn({ service, mirror, client }: LaggingWorld) {
  const { note } = service.owner.record({ title: 'Kept' })
  await service.clock.advance('5m')
  await mirror.sync({ fullListing: 'now' })
  await mirror.sync({ fullListing: 'now' })
  await client.notes.get(note.note_id)
  return note
}

it('a stale page and a stale read do not show a note whose deletion was acknowledged and confirmed', async () => {
  const world = await laggingWorld()
  const { service, mirror } = world
  const note = await aNoteIn(world)
  world.keepAnswers()
  note.delete()
  await world.hear({ kind: 'note.deleted', noteId: note.note_id, revision: note.revision })
  await mirror.settle()
  expect((await mirror.explain(note.note_id)).presence).toBe('gone')
  world.freeze()
  await mirror.sync({ fullListing: 'now' })
  await mirror.settle()
  expect(await mirror.get(note.note_id)).toBeUndefined()
  const { reasons } = await mirror.explain(note.note_id)
  expect(reasons.join(' ')).toMatch(/deletion was announced at revision \d+.*the service shows a lower revision/)
  expect(await mirror.status()).toMatchObject({ contradictions: 1, correctAsOf: null })
  world.thaw()
  await service.clock.advance('31s')
  await mirror.settle()
  expect(await mirror.status()).toMatchObject({ contradictions: 0, notes: { gone: 1 } })
})

it('a note that was never read and whose deletion was announced is gone after a read that does not find it', async () => {
  const { mirror, hear } = await laggingWorld()
  await mirror.sync({ fullListing: 'now' })
  await hear({ kind: 'note.ended', noteId: 'note_unseen', revision: 1 })
  await mirror.settle()
  expect((await mirror.explain('note_unseen')).presence).toBe('hidden')
  await hear({ kind: 'note.deleted', noteId: 'note_unseen', revision: 1 })
  await mirror.settle()
  expect((await mirror.explain('note_unseen')).presence).toBe('gone')
  expect(await mirror.status()).toMatchObject({ notes: { dirty: 0 }, correctAsOf: expect.any(Date) })
})

it('a deletion event that waits 16 minutes for the store does not shorten the lag of a later deletion event', async () => {
  const store = memoryMirror()
  let wait = Promise.resolve()
  const slow = withMembers(store, { load: (...request) => wait.then(() => store.load(...request)) })
  const world = await laggingWorld({}, slow)
  const { service, mirror } = world
  const note = await aNoteIn(world)
  world.keepAnswers()
  note.moveTo(service.owner.createChannel('elsewhere'))
  const deletion = { kind: 'note.deleted', noteId: note.note_id, revision: note.revision } as const

  const gate = Promise.withResolvers<void>()
  wait = gate.promise
  const late = world.send({ ...deletion, eventId: 'evt_late' })
  await service.clock.advance('16m')
  expect(await late).toBe(503)
  wait = Promise.resolve()
  await world.hear({ ...deletion, eventId: 'evt_second' })
  gate.resolve()
  await vi.waitFor(async () => expect((await mirror.explain(note.note_id)).state?.heard?.sequence).toBeDefined())

  world.freeze()
  await service.clock.advance('1s')
  await mirror.settle()
  expect(await mirror.get(note.note_id)).toBeUndefined()
})

it('a note whose access is regained at the same revision is shown by a full listing a minute later, without an event', async () => {
  const world = await laggingWorld()
  const { service, mirror } = world
  const note = await aNoteIn(world)
  const elsewhere = service.owner.createChannel('elsewhere')
  note.moveTo(elsewhere)
  await world.hear({ kind: 'note.deleted', noteId: note.note_id, revision: note.revision })
  await mirror.settle()
  note.moveTo('personal')
  await service.clock.advance('61s')
  await mirror.sync({ fullListing: 'now' })
  expect(await mirror.get(note.note_id)).toMatchObject({ note: { revision: note.revision }, isSettled: true })
})

it('a 404 from before a full listing that listed the note again does not remove the note', async () => {
  const world = await laggingWorld()
  const { service, mirror } = world
  const note = await aNoteIn(world)
  note.moveTo(service.owner.createChannel('elsewhere'))
  await world.hear({ kind: 'note.deleted', noteId: note.note_id, revision: note.revision })
  const { answered, release } = world.hold(`/v1/notes/${note.note_id}`)
  const settled = mirror.settle()
  await answered
  note.moveTo('personal')
  await mirror.sync({ fullListing: 'now' })
  release()
  await settled
  expect(await mirror.status()).toMatchObject({ notes: { dirty: 1 }, correctAsOf: null })
  await service.clock.advance('61s')
  await mirror.settle()
  expect(await mirror.get(note.note_id)).toMatchObject({ isSettled: true })
  expect((await mirror.status()).correctAsOf).not.toBeNull()
})

it('the mirror follows a restored service after eight and a half minutes, and counts contradictions until then', async () => {
  const world = await laggingWorld()
  const { service, mirror } = world
  const note = await aNoteIn(world)
  const before = note.revision
  world.keepAnswers()
  note.edit({ title: 'Lost with the backup' })
  await world.hear({ kind: 'note.updated', noteId: note.note_id, revision: note.revision })
  await mirror.settle()
  expect((await mirror.get(note.note_id))?.note.title).toBe('Lost with the backup')

  world.freeze()
  await mirror.sync({ fullListing: 'now' })
  expect(await mirror.status()).toMatchObject({ contradictions: 1, correctAsOf: null })
  for (let seconds = 0; seconds < 509; seconds += 1) {
    await service.clock.advance('1s')
    await mirror.settle()
    expect((await mirror.get(note.note_id))?.note.title).toBe('Lost with the backup')
  }
  expect((await mirror.status()).correctAsOf).toBeNull()
  await service.clock.advance('10s')
  await mirror.settle()
  expect((await mirror.get(note.note_id))?.note).toMatchObject({ title: 'Kept', revision: before })
  await mirror.settle()
  expect((await mirror.status()).contradictions).toBe(0)
})

it('acceptReads accepts what the service returns, even a revision below that of an announced deletion', async () => {
  const world = await laggingWorld()
  const { mirror } = world
  const note = await aNoteIn(world)
  await world.hear({ kind: 'note.deleted', noteId: note.note_id, revision: note.revision + 1 })
  await mirror.settle()
  expect(await mirror.get(note.note_id)).toBeUndefined()
  expect(await mirror.acceptReads(note.note_id)).toBe(true)
  await mirror.settle()
  expect(await mirror.get(note.note_id)).toMatchObject({ note: { title: 'Kept' }, isSettled: true })
  expect(await mirror.status()).toMatchObject({ contradictions: 0 })
  expect(await mirror.acceptReads('note_unheard')).toBe(false)
  expect((await mirror.explain('note_unheard')).presence).toBe('unknown')
})

it('a first listing of a service without content revisions reads content older than a minute once', async () => {
  const world = await laggingWorld({ contentRevision: 'absent' })
  const { service, mirror } = world
  const recording = service.owner.record({ title: 'Weekly' })
  recording.end({ transcript: [{ text: 'said' }], summary: '# Sum' })
  await service.clock.advance('10m')
  await mirror.sync()
  const ofNote = world.asked.filter((path) => path.includes(recording.note.note_id))
  // The transcript, the summary, and the note again after them.
  expect(ofNote).toHaveLength(3)
  expect(await mirror.get(recording.note.note_id)).toMatchObject({ isSettled: true, summary: { markdown: '# Sum' } })
})

it('content without a revision of a note that has just changed is shown, and settled by another read after a minute', async () => {
  const world = await laggingWorld({ contentRevision: 'absent' })
  const { service, mirror } = world
  const recording = service.owner.record({ title: 'Weekly' })
  recording.end({ transcript: [{ text: 'said' }], summary: false })
  await service.clock.advance('1s')
  await mirror.sync()
  const { note_id } = recording.note
  expect(await mirror.get(note_id)).toMatchObject({ isSettled: false, transcript: { segments: [{ text: 'said' }] } })
  await service.clock.advance('61s')
  await mirror.settle()
  expect(await mirror.get(note_id)).toMatchObject({ isSettled: true, transcript: { segments: [{ text: 'said' }] } })
})

it('content without a revision of a note that has just changed is read again, if the answers have a Date in the future', async () => {
  const service = await createNotesService({ contract: { contentRevision: 'absent' } })
  onTestFinished(() => service.close())
  const { baseUrl, apiKey, clock } = service
  const fetch = async (request: Request) => {
    const { body, status, headers } = await service.fetch(request)
    return new Response(body, {
      status,
      headers: { ...Object.fromEntries(headers), date: 'Thu, 01 Jan 2099 00:00:00 GMT' },
    })
  }
  const client = new NotesClient({ baseUrl, apiKey, fetch, maxRetries: 0 })
  const mirror = createMirror({ client, store: memoryMirror({ clock }), logger: SILENT })
  const recording = service.owner.record({ title: 'Weekly' })
  recording.end({ transcript: [{ text: 'said' }], summary: false })
  await clock.advance('1s')
  await mirror.sync()
  expect(await mirror.get(recording.note.note_id)).toMatchObject({ isSettled: false })
  await clock.advance('61s')
  await mirror.settle()
  expect(await mirror.get(recording.note.note_id)).toMatchObject({ isSettled: true })
})
