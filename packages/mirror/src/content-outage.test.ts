import type { FaultRule } from '@notewire/mock-server'
import { expect, it, onTestFinished } from 'vitest'
import { mirroredService } from '../fixtures/mirrored-service.ts'

type Fault = Extract<FaultRule, { readonly request: string }>['fault']

/** The service, its mirror, and a note whose record says that its transcript is ready. */
async function aReadyNote() {
  const world = await mirroredService({}, {}, { maxRetries: 0 })
  onTestFinished(() => world.service.close())
  const { service, mirror } = world
  const note = service.owner.record({ title: 'Weekly' }).end({ transcript: [{ text: 'said' }], summary: false })
  await service.clock.advance('10m')
  return {
    ...world,
    note,
    failTranscripts: (fault: Fault) => service.faults.inject({ request: 'GET /v1/notes/*/transcript', fault }),
    /** Calls `settle` once a minute, as `run` does while requests fail. */
    async settleFor(minutes: number) {
      for (let minute = 0; minute < minutes; minute += 1) {
        await service.clock.advance('1m')
        await mirror.settle().catch(() => undefined)
      }
    },
  }
}

/** The note, after an hour in which requests for transcripts failed. */
async function afterAnOutage(fault: Fault) {
  const world = await aReadyNote()
  const outage = world.failTranscripts(fault)
  await world.mirror.sync().catch(() => undefined)
  await world.settleFor(60)
  expect(world.asked().filter((request) => request.endsWith('/transcript')).length).toBeGreaterThan(8)
  outage.remove()
  return world
}

it.each<[string, Fault]>([
  ['503', { kind: 'status', status: 503 }],
  ['429', { kind: 'status', status: 429 }],
  ['a network error', { kind: 'dropped', lost: 'request' }],
])('failed requests (%s) do not use up the patience for content that is not ready yet', async (_, fault) => {
  const { mirror, note, failTranscripts, settleFor } = await afterAnOutage(fault)
  const lag = failTranscripts({ kind: 'status', status: 409 })
  await settleFor(6)
  expect(await mirror.get(note.note_id)).toMatchObject({ isSettled: false })
  lag.remove()
  await settleFor(5)
  const found = await mirror.get(note.note_id)
  expect(found).toMatchObject({ isSettled: true, transcript: { segments: [{ text: 'said' }] } })
})

it('a note that was deleted without an event during an outage of content requests is gone after it', async () => {
  const { mirror, note, settleFor } = await afterAnOutage({ kind: 'status', status: 503 })
  note.delete()
  await settleFor(6)
  expect(await mirror.get(note.note_id)).toBeUndefined()
  expect((await mirror.explain(note.note_id)).presence).toBe('gone')
})

it.each([409, 404])('a note whose transcript is answered %i is fetched again before it settles', async (status) => {
  const { mirror, note, asked, failTranscripts, settleFor } = await aReadyNote()
  failTranscripts({ kind: 'status', status })
  await mirror.sync()
  await settleFor(20)
  expect(await mirror.get(note.note_id)).toMatchObject({ isSettled: true, transcript: null })
  const ofNote = asked().filter((request) => request.includes(note.note_id))
  expect(ofNote.at(-1)).toBe(`GET /v1/notes/${note.note_id}`)
})
