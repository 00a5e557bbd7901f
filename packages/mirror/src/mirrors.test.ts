import { describe, expect, it } from 'vitest'
import { manyCustomers, whileTheyRun } from './fixtures/many-customers.ts'
import { memoryMirror } from './index.ts'

const BUDGET = { budgetMs: 60_000 }

describe('mirrors of many integrations', () => {
  it('copy the notes of each customer, and show none to another', async () => {
    await using world = await manyCustomers(5)
    for (const customer of world.customers) {
      customer.write(`of ${customer.integration}`)
      await world.mirrors.add(customer.integration)
    }
    await world.service.settled()
    const { remaining, nextAt } = await world.mirrors.work(BUDGET)
    expect(remaining).toBe(0)
    expect(nextAt).toBeGreaterThan(world.service.clock.now() + 200_000)
    for (const { integration } of world.customers) {
      expect(await world.titles(integration)).toEqual([`of ${integration}`])
    }
    expect(await world.mirrors.of('customer-0').search('customer-1')).toEqual([])
  })

  it('send no request and write nothing while none is due', async () => {
    const store = memoryMirror()
    await using world = await manyCustomers(3, { store })
    for (const { integration } of world.customers) await world.mirrors.add(integration)
    await world.mirrors.work(BUDGET)
    const before = [world.asked().length, await store.integrations.list({ after: '', limit: 10 })]
    await world.service.clock.advance('3m')
    await world.mirrors.work(BUDGET)
    expect([world.asked().length, await store.integrations.list({ after: '', limit: 10 })]).toEqual(before)
  })

  it('are kept up to date by run', async () => {
    await using world = await manyCustomers(3)
    for (const { integration } of world.customers) await world.mirrors.add(integration)
    await whileTheyRun(world.mirrors, async () => {
      await world.service.clock.advance('1m')
      world.customers[1]?.write('late')
      await world.service.clock.advance('6m')
    })
    expect(await world.titles('customer-1')).toEqual(['late'])
    expect(world.problems).toEqual([])
  })
})
