import { expect, it } from 'vitest'
import { type ManyCustomers, manyCustomers } from '../fixtures/many-customers.ts'

const BUDGET = { budgetMs: 60_000 }

/** Three customers. All 60 notes of the second one are moved out of its sight. */
async function movedAway(): Promise<ManyCustomers> {
  const world = await manyCustomers(3)
  const { customers, mirrors, service } = world
  for (const { integration, write } of customers) {
    for (let index = 0; index < 60; index += 1) write(`note ${index}`)
    await mirrors.add(integration)
  }
  await mirrors.work(BUDGET)
  const elsewhere = service.owner.createChannel('elsewhere')
  for (const note of service.owner.notes().slice(60, 120)) note.moveTo(elsewhere)
  return world
}

it('shows removals that a full listing holds back in every process, until they are accepted', async () => {
  await using world = await movedAway()
  const { service, mirrors } = world
  expect((await mirrors.status()).heldRemovals).toBe(0)
  await service.clock.advance('26h')
  await mirrors.work(BUDGET)
  const restarted = world.another({})
  expect((await restarted.status()).heldRemovals).toBe(1)
  const [held, ...others] = await restarted.list({ hasHeldRemovals: true })
  expect(others).toEqual([])
  expect(held).toMatchObject({ integration: 'customer-1', heldRemovals: 60 })
  expect(await restarted.get('customer-1')).toEqual(held)
  expect((await restarted.list()).map(({ heldRemovals }) => heldRemovals)).toEqual([0, 60, 0])
  const status = await restarted.of('customer-1').status()
  for (const { fullListingId } of status.held) await restarted.of('customer-1').acceptRemovals(fullListingId)
  expect((await mirrors.status()).heldRemovals).toBe(0)
  expect(await mirrors.list({ hasHeldRemovals: true })).toEqual([])
})

it('counts no held removals of an integration that was removed', async () => {
  await using world = await movedAway()
  const { service, mirrors } = world
  await service.clock.advance('26h')
  await mirrors.work(BUDGET)
  expect((await mirrors.status()).heldRemovals).toBe(1)
  await mirrors.remove('customer-1')
  await mirrors.work(BUDGET)
  expect((await mirrors.status()).heldRemovals).toBe(0)
})
