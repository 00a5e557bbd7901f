import { describe, expect, it } from 'vitest'
import { anInbox } from '../../fixtures/inbox.ts'
import { createNotesService } from '../service/create-notes-service.ts'

describe('the log of deliveries', () => {
  it.each([
    ['the event', ({ event_id }) => event_id],
    ['the note', ({ note_id }) => note_id],
    ['the kind', () => 'note.updated'],
    ['the status and the endpoint', ({ endpoint_id }) => `DELIVERED ${endpoint_id} note.updated`],
    ['the URL of the endpoint', () => 'receiver-1.test note.updated'],
  ] as readonly [string, (ids: Record<'event_id' | 'note_id' | 'endpoint_id', string>) => string][])(
    'is searched by %s',
    async (_what, searchOf) => {
      await using service = await createNotesService({ clock: 'virtual', notes: 3 })
      await service.listen()
      const { endpoint_id } = await service.connect(anInbox().open)
      const [note] = service.owner.notes()
      note?.edit({ title: 'Another' })
      await service.settled()
      const delivery = service.deliveries.find(({ event_type }) => event_type === 'note.updated')
      const event_id = delivery?.event_id ?? ''
      const search = encodeURIComponent(searchOf({ event_id, note_id: note?.note_id ?? '', endpoint_id }))
      const { deliveries } = await (await fetch(`${service.baseUrl}/control/deliveries?search=${search}`)).json()
      expect(deliveries).toMatchObject([{ delivery_id: delivery?.delivery_id }])
    },
  )

  it('is paged with the identifier of the last delivery of a page', async () => {
    await using service = await createNotesService({ clock: 'virtual', notes: 25 })
    await service.listen()
    await service.connect(anInbox().open)
    for (const note of service.owner.notes()) note.edit({ title: 'Another' })
    await service.settled()
    const listed: string[] = []
    for (;;) {
      const before = listed.length === 0 ? '' : `&before=${listed.at(-1)}`
      const { deliveries } = await (await fetch(`${service.baseUrl}/control/deliveries?limit=10${before}`)).json()
      if (deliveries.length === 0) break
      for (const { delivery_id } of deliveries) listed.push(delivery_id)
    }
    expect(listed).toEqual(service.deliveries.map(({ delivery_id }) => delivery_id).reverse())
    const unknown = await fetch(`${service.baseUrl}/control/deliveries?before=dlv_1`)
    expect([unknown.status, (await unknown.json()).error.code]).toEqual([404, 'delivery_unknown'])
  })
})
