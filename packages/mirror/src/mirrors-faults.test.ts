import fc from 'fast-check'
import { expect, it } from 'vitest'
import { abandoning } from '../fixtures/abandoning-store.ts'
import { manyCustomers, receiverOnPort, workFor } from '../fixtures/many-customers.ts'
import { memoryMirror } from '../fixtures/memory-mirror/memory-mirror.ts'
import { reads } from '../fixtures/store-reads.ts'
import { IntegrationBusyError, type Mirrors } from './index.ts'

const CUSTOMERS = 3

/** Possible steps, and the number of calls of the store after which the process dies. */
const step = fc.record({
  act: fc.constantFrom('write', 'delete', 'add', 'remove', 'work', 'wait', 'hint lost'),
  customer: fc.nat(CUSTOMERS - 1),
  dies: fc.option(fc.nat(40), { freq: 3 }),
})

it('shows each customer its own notes, at whichever call of the store a process dies', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), live), { numRuns: 40 })
}, 120_000)

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

async function live(steps: readonly Step[]): Promise<void> {
  const store = memoryMirror()
  await using world = await manyCustomers(CUSTOMERS, { store })
  await using port = await receiverOnPort(world.mirrors)
  const notes = world.customers.map((): { note: { delete(): void }; title: string }[] => [])
  const added = new Set<number>()
  const start = world.service.clock.now()

  for (const [index, { act, customer, dies }] of steps.entries()) {
    const integration = `customer-${customer}`
    // A separate process, which dies in the middle of its work.
    const mirrors = world.another({ store: dies === null ? store : abandoning(store, dies) })
    const attempt = async (work: () => Promise<unknown>) => {
      if (dies === null) await whileTimePasses(work)
      else await Promise.race([work(), world.service.clock.advance('20s')]).catch(() => undefined)
    }
    switch (act) {
      case 'write': {
        const title = `${integration} writes ${index}`
        notes[customer]?.push({ title, note: world.customers[customer]?.write(title) ?? { delete: () => undefined } })
        await world.service.clock.advance('1s')
        break
      }
      case 'delete':
        notes[customer]?.shift()?.note.delete()
        await world.service.clock.advance('1s')
        break
      case 'add':
        await attempt(() => addInTime(mirrors, integration))
        await whileTimePasses(() => addInTime(world.mirrors, integration))
        added.add(customer)
        break
      case 'remove':
        await attempt(() => mirrors.remove(integration))
        await world.mirrors.remove(integration)
        added.delete(customer)
        break
      case 'work':
        await attempt(() => mirrors.work({ budgetMs: 20_000 }))
        break
      case 'wait':
        await world.service.clock.advance('7m')
        break
      case 'hint lost':
        port.outage = port.outage === undefined ? 503 : undefined
    }
    await seesOnlyItsOwn()
  }

  port.outage = undefined
  await workFor(world, 3 * 60)
  expect(world.service.clock.now()).toBeGreaterThan(start)
  await seesOnlyItsOwn()
  for (const [customer, { integration }] of world.customers.entries()) {
    if (added.has(customer))
      expect(await world.titles(integration)).toEqual((notes[customer] ?? []).map(({ title }) => title).sort())
    else expect(await reads(store).listChanges(integration, 0, 1)).toEqual([])
  }
  expect(await world.mirrors.status()).toMatchObject({ active: added.size, removing: 0, backingOff: 0 })

  // The lease of a process that died ends after 60 s.
  async function addInTime(mirrors: Mirrors, integration: string): Promise<void> {
    for (;;) {
      const error = await mirrors.add(integration, port.optionsFor(integration)).then(
        () => undefined,
        (rejected: unknown) => rejected,
      )
      if (error === undefined) return
      if (!(error instanceof IntegrationBusyError)) throw error
    }
  }

  // A process that waits for the lease of a dead process.
  async function whileTimePasses(work: () => Promise<unknown>): Promise<void> {
    let isOver = false
    const working = work().finally(() => {
      isOver = true
    })
    working.catch(() => undefined)
    while (!isOver) await world.service.clock.advance('1s')
    await working
  }

  async function seesOnlyItsOwn(): Promise<void> {
    for (const { integration } of world.customers) {
      const stored = await reads(store).listNotes(integration, '', 100)
      for (const { note } of stored) expect(note?.title).toContain(`${integration} `)
    }
  }
}
