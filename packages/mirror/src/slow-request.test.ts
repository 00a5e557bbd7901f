import { NotesClient } from '@notewire/client'
import { describe, expect, it } from 'vitest'
import { manyCustomers, receiverOnPort } from '../fixtures/many-customers.ts'
import { mirroredService } from '../fixtures/mirrored-service.ts'
import { whileRunning } from '../fixtures/while-running.ts'

/** Holds back the transcript of one note until it is released. */
class HeldTranscript {
  noteId: string | undefined
  readonly #released = Promise.withResolvers<void>()

  /** Wraps the `fetch` of a service. */
  readonly around =
    (fetch: (request: Request) => Promise<Response>) =>
    async (request: Request): Promise<Response> => {
      if (new URL(request.url).pathname === `/v1/notes/${this.noteId}/transcript`) await this.#released.promise
      return await fetch(request)
    }

  release(): void {
    this.#released.resolve()
  }
}

describe('while one request takes long', () => {
  it('a mirror reads the note of another event', async () => {
    const held = new HeldTranscript()
    await using world = await mirroredService({ notes: 3 })
    const { service } = world
    const { baseUrl, apiKey, clock, owner } = service
    const client = new NotesClient({ baseUrl, apiKey, fetch: held.around(service.fetch) })
    const mirror = world.another({ client })
    await service.connect((secret) => mirror.receiver({ secret }).fetch)
    await whileRunning(mirror, async () => {
      await clock.advance('1s')
      const [slow, other] = owner.notes()
      held.noteId = slow?.note_id
      slow?.edit({ title: 'Slow' })
      await clock.advance('6s')
      other?.edit({ title: 'Other' })
      await clock.advance('7s')
      expect(await mirror.get(other?.note_id ?? '')).toMatchObject({ note: { title: 'Other' }, isSettled: true })
      held.release()
      await clock.advance('1s')
      expect((await mirror.status()).notes).toMatchObject({ live: 3, unsettled: 0 })
    })
  })

  it.each(['this process', 'another process'])(
    'mirrors of many integrations read the note of another event that %s has received',
    async (receiving) => {
      const held = new HeldTranscript()
      await using world = await manyCustomers(1)
      const { service, customers, another } = world
      const [customer] = customers
      const { baseUrl, clock } = service
      const mirrors = another({
        connect: () => ({ baseUrl, apiKey: customer?.apiKey ?? '', fetch: held.around(service.fetch) }),
      })
      await using port = await receiverOnPort(receiving === 'this process' ? mirrors : world.mirrors)
      await mirrors.add('customer-0', port.optionsFor('customer-0'))
      const [slow, other] = ['one', 'two'].map((title) => customer?.write(title))
      await whileRunning(mirrors, async () => {
        await clock.advance('1m')
        held.noteId = slow?.note_id
        slow?.edit({ title: 'Slow' })
        await clock.advance('6s')
        other?.edit({ title: 'Other' })
        await clock.advance('7s')
        const mirror = mirrors.of('customer-0')
        expect(await mirror.get(other?.note_id ?? '')).toMatchObject({ note: { title: 'Other' }, isSettled: true })
        held.release()
        await clock.advance('1s')
        expect((await mirror.status()).notes).toMatchObject({ live: 2, unsettled: 0 })
      })
    },
  )

  it('mirrors of many integrations fetch the content of a backfill', async () => {
    const held = new HeldTranscript()
    await using world = await manyCustomers(
      1,
      {},
      { faults: [{ request: 'GET /v1/notes/**', fault: { kind: 'latency', by: 50 } }] },
    )
    const { service, customers, another } = world
    const [customer] = customers
    const { baseUrl, clock } = service
    const notes = Array.from({ length: 200 }, (_, index) => customer?.write(`note ${index}`))
    await service.settled()
    held.noteId = notes[0]?.note_id
    const mirrors = another({
      connect: () => ({ baseUrl, apiKey: customer?.apiKey ?? '', fetch: held.around(service.fetch) }),
    })
    await mirrors.add('customer-0')
    await whileRunning(mirrors, async () => {
      await clock.advance('5s')
      expect((await mirrors.of('customer-0').status()).notes).toMatchObject({ live: 200, unsettled: 1 })
      held.release()
      await clock.advance('1s')
    })
  })
})
