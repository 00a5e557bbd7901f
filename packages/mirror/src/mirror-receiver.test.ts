import type { ProcessOutcome } from '@notewire/webhooks'
import { anEvent } from '@notewire/webhooks/testing'
import { expect, it } from 'vitest'
import { integrationsOf } from '../fixtures/integrations-of.ts'
import { memoryMirror } from '../fixtures/memory-mirror/memory-mirror.ts'
import { mirroredService } from '../fixtures/mirrored-service.ts'
import { SILENT } from '../fixtures/silent-logger.ts'
import type { MirrorStore } from './index.ts'

const SECRET = 'whsec_bm90LWEtcmVhbC1zZWNyZXQtanVzdC1hLXRlc3Q'

it('answers 204 and reports the outcome applied when the hint of an event is stored', async () => {
  await using world = await mirroredService()
  const outcomes: ProcessOutcome['status'][] = []
  const hooks = { onOutcome: ({ status }: ProcessOutcome) => outcomes.push(status) }
  await world.service.connect((secret) => world.mirror.receiver({ secret, hooks }).fetch)
  world.service.owner.record().end()
  await world.service.settled()
  expect(outcomes[0]).toBe('unhandled')
  expect(new Set(outcomes.slice(1))).toEqual(new Set(['applied']))
  expect((await world.mirror.status()).notes).toMatchObject({ hidden: 1, dirty: 1 })
})

it('answers 503 while the hint of an event cannot be stored, and stores it when the event is sent again', async () => {
  const memory = memoryMirror()
  let failures = 0
  const store: MirrorStore = {
    ...memory,
    commit: async (...commit) => {
      failures -= 1
      if (failures >= 0) throw new Error('the store is down')
      return await memory.commit(...commit)
    },
  }
  await using world = await mirroredService({}, { store })
  const answers: number[] = []
  await world.service.connect((secret) => {
    const { fetch } = world.mirror.receiver({ secret, logger: SILENT })
    return async (request) => {
      const response = await fetch(request)
      answers.push(response.status)
      return response
    }
  })
  await world.mirror.status()
  failures = 1
  world.service.owner.record().end()
  await world.service.settled()
  expect(answers.slice(0, 2)).toEqual([204, 503])
  expect(answers.filter((status) => status === 503)).toHaveLength(1)
  expect(answers.at(-1)).toBe(204)
  expect((await world.mirror.status()).notes).toMatchObject({ dirty: 1 })
})

it('stores the hint of an event that is passed to process', async () => {
  await using world = await mirroredService()
  const receiver = world.mirror.receiver({ secret: () => undefined, logger: SILENT })
  const event = { event_id: 'evt_1', event_type: 'note.deleted', data: { note_id: 'note_1', revision: 3 } } as const
  expect(await receiver.process(event)).toMatchObject({ status: 'applied' })
  expect((await world.mirror.explain('note_1')).state?.floor).toMatchObject({ revision: 3 })
})

it('stores the hint in the copy that a restored database contains', async () => {
  const store = memoryMirror()
  await using world = await mirroredService({}, { store })
  const receiver = world.mirror.receiver({ secret: SECRET, logger: SILENT })
  const receive = (noteId: string) => receiver.process(anEvent({ kind: 'note.updated', noteId, revision: 1 }))
  expect(await receive('note_1')).toMatchObject({ status: 'applied' })
  // The backup is from before the mirror was first used.
  const row = await integrationsOf(store).get('default')
  while ((await store.integrations.write('deleted', row)) === 'more');
  expect(await integrationsOf(store).get('default')).toBeUndefined()
  expect(await receive('note_2')).toMatchObject({ status: 'applied' })
  expect((await world.mirror.status()).notes).toMatchObject({ dirty: 1 })
  expect((await integrationsOf(store).get('default'))?.generation).not.toBe(row?.generation)
})

it('acknowledges no event whose hint the store refuses for the copy that it contains', async () => {
  const store: MirrorStore = { ...memoryMirror(), commit: async () => 'fenced' }
  await using world = await mirroredService({}, { store })
  const receiver = world.mirror.receiver({ secret: SECRET, logger: SILENT })
  expect(await receiver.process(anEvent({ kind: 'note.updated' }))).toMatchObject({ status: 'sink-failed' })
})
