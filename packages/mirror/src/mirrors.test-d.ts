import type { Receivers } from '@notewire/webhooks'
import { describe, expectTypeOf, it } from 'vitest'
import { createMirrors, type IntegrationStatus, type Mirror, type MirroredNote, type MirrorStore } from './index.ts'

declare const store: MirrorStore

describe('mirrors of many integrations', () => {
  const mirrors = createMirrors({
    store,
    connect: async (_id) => ({ baseUrl: 'https://notes.example', apiKey: 'key' }),
  })

  it('need a store and a way to connect', () => {
    // @ts-expect-error without connect
    createMirrors({ store })
    // @ts-expect-error the client is made for each integration
    createMirrors({ store, connect: () => ({}), client: {} })
  })

  it('are read one at a time', async () => {
    expectTypeOf(mirrors.of('acme')).toEqualTypeOf<Mirror>()
    expectTypeOf(await mirrors.of('acme').get('note_1')).toEqualTypeOf<MirroredNote | undefined>()
  })

  it('work within a budget, and run until a signal', async () => {
    expectTypeOf(await mirrors.work({ budgetMs: 1 })).toEqualTypeOf<{
      readonly nextAt: number | null
      readonly remaining: number
    }>()
    // @ts-expect-error without a budget
    void mirrors.work({})
    // @ts-expect-error nothing would ever end it
    void mirrors.run({})
  })

  it('request a full listing of one integration', async () => {
    expectTypeOf(await mirrors.requestFullListing('acme')).toEqualTypeOf<IntegrationStatus>()
    // @ts-expect-error without an integration
    void mirrors.requestFullListing()
  })

  it('make the receivers of many integrations', () => {
    expectTypeOf(mirrors.receivers({ secretOf: (integration) => `whsec_${integration}` })).toEqualTypeOf<Receivers>()
  })

  it('say why an integration is parked', async () => {
    const [integration] = await mirrors.list()
    expectTypeOf(integration).toEqualTypeOf<IntegrationStatus | undefined>()
    expectTypeOf(integration?.parkedBecause).toEqualTypeOf<
      'key_changed' | 'key_shared' | 'key_refused' | null | undefined
    >()
  })
})
