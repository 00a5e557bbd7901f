import { expect, it } from 'vitest'
import { memoryMirror } from '../../fixtures/memory-mirror/memory-mirror.ts'
import { mirroredService } from '../../fixtures/mirrored-service.ts'
import { Ledger } from '../ledger/ledger.ts'
import { recordKey, requireKey } from './key-guard.ts'

it('a worker that was paused accepts the key that another worker has recorded and listed with', async () => {
  await using world = await mirroredService({ notes: 3 })
  const store = memoryMirror()
  await world.another({ store }).sync()
  const copy = await store.readProgress('default')
  const { generation = '' } =
    (await store.integrations.list({ integration: 'default', after: '', limit: 1 }))[0]?.record ?? {}
  const fence = { generation, lost: () => new Error('the lease is lost') }
  const parts = { client: world.client, store, integration: 'default', fence }
  const context = { ...parts, ledger: new Ledger({ ...parts, onAnnounced: () => undefined }) }
  const before = { ...copy, progress: { ...copy.progress, key: { kind: 'key_id', keyId: 'mistyped' } as const } }
  for (const check of [recordKey, requireKey]) {
    expect((await check(context, before)).progress.key).toEqual(copy.progress.key)
  }
})
