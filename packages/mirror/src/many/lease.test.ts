import { createNotesService } from '@notewire/mock-server'
import { expect, it, onTestFinished, vi } from 'vitest'
import { memoryMirror } from '../index.ts'
import { LeaseLostError, withLease } from './lease.ts'
import { resolveMirrorsOptions } from './mirrors-options.ts'

it('renews a lease until it is lost, and not after that', async () => {
  const { clock, close } = await createNotesService()
  onTestFinished(close)
  const store = memoryMirror()
  const { integrations } = store
  const settings = resolveMirrorsOptions({ store, clock, connect: () => ({ baseUrl: '', apiKey: '' }) })
  const renew = vi.spyOn(integrations, 'renew')
  await integrations.put('acme', 'first', clock.now())
  const taken = await integrations.take({ now: clock.now(), until: clock.now() + 60_000, most: 3 })
  if (taken === undefined) throw new Error('the integration is due')

  await withLease(taken.record, settings, new AbortController().signal, async (signal) => {
    await clock.advance('25s')
    expect([renew.mock.calls.length, signal.aborted]).toEqual([1, false])
    await integrations.remove('acme', 'second', clock.now())
    await clock.advance('20s')
    expect(signal.reason).toBeInstanceOf(LeaseLostError)
    await clock.advance('2m')
  })
  expect(renew).toHaveBeenCalledTimes(2)
})
