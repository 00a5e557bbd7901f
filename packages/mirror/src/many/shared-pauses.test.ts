import { expect, it } from 'vitest'
import { manyCustomers } from '../fixtures/many-customers.ts'
import { SharedPauses } from './shared-pauses.ts'

const URL = 'https://notes.example'

it('pauses a service that limits three integrations in a row, and no other', () => {
  const pauses = new SharedPauses()
  for (const integration of ['a', 'b', 'a']) pauses.recordRateLimit(URL, integration, 1_000, 60_000)
  expect(pauses.until(URL)).toBe(0)
  pauses.recordRateLimit(URL, 'c', 1_000, 60_000)
  expect(pauses.until(URL)).toBe(61_000)
  expect(pauses.until('https://other.example')).toBe(0)
})

it('restarts the count when the service has answered', () => {
  const pauses = new SharedPauses()
  for (const integration of ['a', 'b']) pauses.recordRateLimit(URL, integration, 1_000, 60_000)
  pauses.recordAnswer(URL)
  pauses.recordRateLimit(URL, 'c', 1_000, 60_000)
  expect(pauses.until(URL)).toBe(0)
})

it('sends no request of 30 integrations during a shared rate limit, and brings all up to date after it', async () => {
  await using world = await manyCustomers(30)
  for (const { integration } of world.customers) await world.mirrors.add(integration)
  const fault = { kind: 'status', status: 429, retryAfter: 60 } as const
  const limit = world.service.faults.inject({ request: '* /v1/**', fault })
  await world.mirrors.work({ budgetMs: 60_000 })
  expect(world.asked().length).toBeLessThanOrEqual(6)
  limit.remove()
  for (let minute = 0; minute < 3; minute += 1) {
    await world.service.clock.advance('1m')
    await world.mirrors.work({ budgetMs: 60_000 })
  }
  expect(new Set(world.customers.map(({ integration }) => world.asked(integration).length > 0))).toEqual(
    new Set([true]),
  )
  expect(await world.mirrors.status()).toMatchObject({ active: 30, backingOff: 0, due: 0 })
})
