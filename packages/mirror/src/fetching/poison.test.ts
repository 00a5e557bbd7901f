import { anEvent, signAttempt } from '@notewire/webhooks/testing'
import { expect, it } from 'vitest'
import { memoryMirror } from '../../fixtures/memory-mirror/memory-mirror.ts'
import { mirroredService } from '../../fixtures/mirrored-service.ts'
import { SILENT } from '../../fixtures/silent-logger.ts'
import type { MirrorStore } from '../index.ts'

/** A service whose answers to some requests the test replaces. */
async function serviceWith(answer: (url: URL) => Response | undefined, store: MirrorStore = memoryMirror()) {
  const problems: (string | undefined)[] = []
  let requests = 0
  const world = await mirroredService(
    { notes: 40 },
    { store, hooks: { onProblem: ({ noteId }) => problems.push(noteId) } },
    {
      maxRetries: 0,
      fetch: (request) => {
        requests += 1
        const other = answer(new URL(request.url))
        return other === undefined ? world.service.fetch(request) : Promise.resolve(other)
      },
    },
  )
  return { ...world, problems, requestsSoFar: () => requests, [Symbol.asyncDispose]: () => world.service.close() }
}

const SECRET = 'whsec_c2VjcmV0LW9mLXRoaXMtdGVzdC1hbmQtbm8tb3RoZXI'

const transcriptOf = ({ pathname }: URL) => /notes\/(?<noteId>[^/]+)\/transcript$/.exec(pathname)?.groups?.['noteId']

it('notes that cannot be read block neither others nor the listing', async () => {
  const broken = new Set<string>()
  await using world = await serviceWith((url) =>
    broken.has(transcriptOf(url) ?? '') ? Response.json({ text: 7 }) : undefined,
  )
  const { mirror, service } = world
  await mirror.sync()
  for (let count = 0; count < 12; count += 1) {
    broken.add(service.owner.record({ title: 'broken' }).end({ transcript: [{ text: 'said' }] }).note_id)
  }
  const good = service.owner.record({ title: 'good' }).end()
  await service.clock.advance('1h')
  const report = await mirror.sync()
  expect(report).toMatchObject({ listed: true, postponed: 12 })
  expect((await mirror.get(good.note_id))?.isSettled).toBe(true)
  expect((await mirror.status()).polledAt?.getTime()).toBe(service.clock.now())
  expect(new Set(world.problems)).toEqual(broken)
})

it('a service that is down is not asked for every note', async () => {
  let isDown = false
  await using world = await serviceWith(() => (isDown ? new Response('down', { status: 500 }) : undefined))
  await world.mirror.sync()
  for (const note of world.service.owner.notes()) note.edit({ title: 'edited' })
  isDown = true
  await world.service.clock.advance('1h')
  const before = world.requestsSoFar()
  await expect(world.mirror.sync()).rejects.toMatchObject({ code: 'server_error' })
  expect(world.requestsSoFar() - before).toBeLessThan(40)
})

it('a note that the store rejects does not prevent other writes', async () => {
  const inner = memoryMirror()
  let refused = ''
  const store: MirrorStore = {
    ...inner,
    async commit(integration, commit) {
      const isTooBig = commit.notes.some(
        ({ state, content }) => state.noteId === refused && content !== 'erase' && content?.transcript != null,
      )
      if (isTooBig) throw new Error('string or blob too big')
      return await inner.commit(integration, commit)
    },
  }
  await using world = await serviceWith(() => undefined, store)
  const notes = world.service.owner.notes()
  refused = notes[3]?.note_id ?? ''
  const report = await world.mirror.sync()
  expect(report).toMatchObject({ listed: true, settled: notes.length - 1, postponed: 1 })
  expect(world.problems).toEqual([refused])
})

it.each([500, 410, 400])('a full listing completes although the read of a missing note answers %s', async (status) => {
  let silent = ''
  const hides = ({ pathname }: URL) => pathname.endsWith(`/notes/${silent}`)
  await using world = await serviceWith((url) => (hides(url) ? new Response('no', { status }) : undefined))
  const { mirror, service } = world
  await mirror.sync()
  const [one, other] = service.owner.notes()
  silent = one?.note_id ?? ''
  const elsewhere = service.owner.createChannel('elsewhere')
  for (const note of [one, other]) note?.moveTo(elsewhere)
  await mirror.sync({ fullListing: 'now' }).catch(() => undefined)
  const { lastFullListing, correctAsOf } = await mirror.status()
  expect(lastFullListing?.missing).toBe(2)
  expect(correctAsOf).toBeNull()
  expect(await mirror.get(other?.note_id ?? '')).toBeUndefined()
})

it.each([
  ['answers 404', () => Response.json({ error: { code: 'not_found', message: 'no' } }, { status: 404 })],
  ['is of a higher revision', () => Response.json({ note_id: 'n', revision: 99, text: 'x', segments: [] })],
])(
  'a transcript with the status ready that %s is retried with growing pauses, and then counts as absent',
  async (_, answer) => {
    let bad = ''
    await using world = await serviceWith((url) => (transcriptOf(url) === bad ? answer() : undefined))
    const { mirror, service } = world
    bad = service.owner.notes()[0]?.note_id ?? ''
    await mirror.sync()
    const before = world.requestsSoFar()
    for (let minute = 0; minute < 30; minute += 1) {
      await service.clock.advance('1m')
      await mirror.sync({ fullListing: 'never' })
    }
    expect(world.requestsSoFar() - before).toBeLessThan(30 + 4 * 12)
    expect(await mirror.get(bad)).toMatchObject({ isSettled: true, transcript: null })
  },
)

it.each([
  ['..', 204, ['..']],
  ['\ud800', 400, []],
  ['a\0', 400, []],
  ['x'.repeat(20_000), 400, []],
] as const)(
  'an event about %.10j, which cannot be read, does not affect other notes',
  async (noteId, status, problems) => {
    await using world = await serviceWith(() => undefined)
    const { mirror, service } = world
    await mirror.sync()
    const event = anEvent({ kind: 'note.updated', noteId, revision: 3 })
    const receiver = mirror.receiver({ secret: SECRET, logger: SILENT })
    const attempt = await signAttempt(SECRET, event, { signedAt: service.clock.now() })
    const request = new Request('https://receiver.test/', { method: 'POST', ...attempt })
    expect((await receiver.fetch(request)).status).toBe(status)
    const [note] = service.owner.notes()
    note?.edit({ title: 'edited' })
    await service.clock.advance('1h')
    expect(await mirror.sync()).toMatchObject({ listed: true, postponed: problems.length })
    expect((await mirror.get(note?.note_id ?? ''))?.note.title).toBe('edited')
    expect(world.problems).toEqual(problems)
  },
)
