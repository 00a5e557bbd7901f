import { describe, expect, it } from 'vitest'
import { type ManyCustomers, manyCustomers, workFor } from './fixtures/many-customers.ts'

const HOUR = 60

/** Customers whose first notes are listed. `limit` makes the service answer 429 to some of them. */
async function upToDate(count: number) {
  const limited = new Set<string>()
  const world = await manyCustomers(count)
  const mirrors = world.another({
    connect: (integration) => {
      const apiKey = world.customers.find((customer) => customer.integration === integration)?.apiKey ?? ''
      const fetch = async (request: Request) =>
        limited.has(integration)
          ? new Response(null, { status: 429, headers: { 'retry-after': '3600' } })
          : await world.service.fetch(request)
      return { baseUrl: world.service.baseUrl, apiKey, fetch }
    },
  })
  for (const { integration } of world.customers) await mirrors.add(integration)
  return { world: { ...world, mirrors }, limited }
}

async function titlesOf(world: ManyCustomers): Promise<readonly (readonly unknown[])[]> {
  return await Promise.all(world.customers.map(({ integration }) => world.titles(integration)))
}

describe('a rate limit of some keys', () => {
  it('delays no integration with another key', async () => {
    const { world, limited } = await upToDate(23)
    await using _ = world
    for (const noisy of ['customer-0', 'customer-1', 'customer-2']) limited.add(noisy)
    for (const customer of world.customers) customer.write('first')
    await workFor(world, 1)
    const titles = await titlesOf(world)
    expect(titles.slice(0, 3)).toEqual([[], [], []])
    expect(titles.slice(3)).toEqual(Array.from({ length: 20 }, () => ['first']))
    expect(await world.mirrors.status()).toMatchObject({ active: 23, backingOff: 3 })
  })
})

describe('an integration whose key was refused', () => {
  it('is active again about an hour after a minute of 403, without a call', async () => {
    await using world = await manyCustomers(50)
    for (const { integration } of world.customers) await world.mirrors.add(integration)
    await workFor(world, 5)
    const refusing = world.service.faults.inject({ request: '* /v1/**', fault: { kind: 'status', status: 403 } })
    await workFor(world, 6)
    refusing.remove()
    expect((await world.mirrors.status()).parked.key_refused).toBeGreaterThan(0)
    for (const customer of world.customers) customer.write('after')
    await workFor(world, HOUR + 10)
    expect(await world.mirrors.status()).toMatchObject({ active: 50, parked: { key_refused: 0 } })
    expect(await titlesOf(world)).toEqual(Array.from({ length: 50 }, () => ['after']))
  }, 60_000)
})
