import { describe, expect, it } from 'vitest'
import { type ManyCustomers, manyCustomers } from '../fixtures/many-customers.ts'
import { memoryMirror } from '../fixtures/memory-mirror/memory-mirror.ts'
import { IntegrationRemovedError } from './index.ts'

const BUDGET = { budgetMs: 60_000 }
const NOTES = 12
const ID = 'customer-0'

/** A customer whose notes were listed. `moveOut` makes a note leave without an event and without a tombstone. */
async function aListedCustomer() {
  const world = await manyCustomers(2, { store: memoryMirror() })
  const notes = Array.from({ length: NOTES }, (_, index) => world.customers[0]?.write(`note ${index}`))
  const elsewhere = world.service.owner.createChannel('elsewhere')
  for (const { integration } of world.customers) await world.mirrors.add(integration)
  await world.mirrors.work(BUDGET)
  await world.service.clock.advance('60s')
  await world.mirrors.work(BUDGET)
  return { world, moveOut: (index: number) => notes[index]?.moveTo(elsewhere) }
}

function listings({ asked }: ManyCustomers): number {
  return asked(ID).filter((request) => request === 'GET /v1/notes').length
}

describe('mirrors.requestFullListing', () => {
  it('makes the next work list all notes of one integration, so that it finds a note that has left', async () => {
    const { world, moveOut } = await aListedCustomer()
    moveOut(0)
    expect((await world.mirrors.work(BUDGET)).remaining).toBe(0)
    expect(await world.titles(ID)).toHaveLength(NOTES)
    const before = world.asked('customer-1').length
    const status = await world.mirrors.requestFullListing(ID)
    expect(status).toMatchObject({ integration: ID, dueAt: new Date(world.service.clock.now()) })
    await world.mirrors.work(BUDGET)
    expect(await world.titles(ID)).toHaveLength(NOTES - 1)
    expect(await world.mirrors.of(ID).status()).toMatchObject({ fullListing: null, lastFullListing: { missing: 1 } })
    expect(world.asked('customer-1')).toHaveLength(before)
    await world[Symbol.asyncDispose]()
  })

  it('is done once, by any process, if it was called several times', async () => {
    const { world } = await aListedCustomer()
    const before = listings(world)
    await Promise.all([
      world.mirrors.requestFullListing(ID),
      world.mirrors.requestFullListing(ID),
      world.another({}).requestFullListing(ID),
    ])
    await world.another({}).work(BUDGET)
    expect((await world.mirrors.of(ID).status()).lastFullListing).not.toBeNull()
    expect(listings(world)).toBe(before + 1)
    await world.mirrors.work(BUDGET)
    expect(listings(world)).toBe(before + 1)
    await world[Symbol.asyncDispose]()
  })

  it('makes another full listing follow one that is under way', async () => {
    let onListing: () => Promise<unknown> = async () => undefined
    const { world, moveOut } = await aListedCustomer()
    const mirrors = world.another({
      connect: (integration) => {
        const apiKey = world.customers.find((customer) => customer.integration === integration)?.apiKey ?? ''
        const fetch = async (request: Request) => {
          const response = await world.service.fetch(request)
          if (new URL(request.url).pathname === '/v1/notes') await onListing()
          return response
        }
        return { baseUrl: world.service.baseUrl, apiKey, fetch }
      },
    })
    const begun = new Set<string>()
    onListing = async () => {
      // The listing has been answered, so it shows the note that leaves now.
      onListing = async () => undefined
      moveOut(0)
      begun.add((await world.mirrors.of(ID).status()).fullListing?.fullListingId ?? 'none')
      await world.mirrors.requestFullListing(ID)
    }
    await mirrors.requestFullListing(ID)
    await mirrors.work(BUDGET)
    await world.service.clock.advance('5s')
    await mirrors.work(BUDGET)
    const { lastFullListing, fullListing } = await world.mirrors.of(ID).status()
    expect(fullListing).toBeNull()
    expect(begun).not.toContain('none')
    expect(begun).not.toContain(lastFullListing?.fullListingId)
    expect(await world.titles(ID)).toHaveLength(NOTES - 1)
    await world[Symbol.asyncDispose]()
  })

  it('is done while a worker runs', async () => {
    const { world, moveOut } = await aListedCustomer()
    moveOut(0)
    const stop = new AbortController()
    const running = world.another({}).run({ signal: stop.signal })
    await world.mirrors.requestFullListing(ID)
    for (let rounds = 0; rounds < 50 && (await world.titles(ID)).length === NOTES; rounds += 1) {
      await world.service.clock.advance('1s')
    }
    stop.abort()
    await world.service.clock.advance('1s')
    await running
    expect(await world.titles(ID)).toHaveLength(NOTES - 1)
    await world[Symbol.asyncDispose]()
  })

  it('waits for the end of a pause, and until a parked integration is active again', async () => {
    const { world, moveOut } = await aListedCustomer()
    const [customer] = world.customers
    const key = customer?.apiKey ?? ''
    if (customer !== undefined) customer.apiKey = 'ntw_live_unknown.secret'
    await world.service.clock.advance('10m')
    await world.mirrors.work(BUDGET)
    expect(await world.mirrors.get(ID)).toMatchObject({ state: 'parked' })
    moveOut(0)
    await world.mirrors.requestFullListing(ID)
    await world.mirrors.work(BUDGET)
    expect(await world.mirrors.get(ID)).toMatchObject({ state: 'parked' })
    if (customer !== undefined) customer.apiKey = key
    await world.mirrors.resume(ID)
    await world.mirrors.work(BUDGET)
    expect(await world.titles(ID)).toHaveLength(NOTES - 1)
    await world[Symbol.asyncDispose]()
  })

  it('may be called before the first listing', async () => {
    await using world = await manyCustomers(1)
    world.customers[0]?.write('first')
    await world.mirrors.add(ID)
    await world.mirrors.requestFullListing(ID)
    await world.mirrors.work(BUDGET)
    expect(await world.titles(ID)).toEqual(['first'])
    expect((await world.mirrors.of(ID).status()).lastFullListing).not.toBeNull()
  })

  it('rejects an integration that does not exist or was removed', async () => {
    const { world } = await aListedCustomer()
    await expect(world.mirrors.requestFullListing('nobody')).rejects.toThrow(IntegrationRemovedError)
    await world.mirrors.remove(ID)
    await expect(world.mirrors.requestFullListing(ID)).rejects.toThrow(IntegrationRemovedError)
    await world[Symbol.asyncDispose]()
  })
})
