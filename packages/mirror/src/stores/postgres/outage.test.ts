import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { manyCustomers } from '../../../fixtures/many-customers.ts'
import { type MirroredService, mirroredService } from '../../../fixtures/mirrored-service.ts'
import { collectPrinted, DEFAULT_LOGGER } from '../../../fixtures/printed.ts'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-database.ts'
import { whileRunning } from '../../../fixtures/while-running.ts'
import { postgresMirror } from './index.ts'

let databases: TestDatabases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.cleanUp.disposeAsync())

const printed = collectPrinted()
const messages = () => printed.lines.map(({ level, message }) => `${level} ${message}`)

/** Bringing the copies up to date takes a busy machine a while. */
const PATIENTLY = { timeout: 300_000 }
const BEGUN = expect.stringMatching(/^error the store of the mirror failed; check its disk or its database server/)

async function aStore() {
  return postgresMirror(databases.poolOf(await databases.emptyDatabase()))
}

describe('what is printed while PostgreSQL is away', () => {
  it('is one line at the beginning and one at the end, by one mirror', async () => {
    await using world = await mirroredService({ notes: 3 }, { store: await aStore(), ...DEFAULT_LOGGER })
    const { mirror } = world
    const isSynced = async () => (await mirror.status()).isBackfilled
    await whileRunning(mirror, () => goAwayAndReturn(world, isSynced, 'info the store of the mirror answers again'))
    expect((await mirror.status()).problem).toBeNull()
  })

  it('is one line at the beginning and one at the end, by the mirrors of many integrations', async () => {
    await using world = await manyCustomers(5, { store: await aStore(), ...DEFAULT_LOGGER })
    const { mirrors } = world
    for (const { integration } of world.customers) await mirrors.add(integration)
    const isSynced = async () => (await mirrors.list()).every(({ syncedAt }) => syncedAt !== null)
    await whileRunning(mirrors, () => goAwayAndReturn(world, isSynced, 'info the store of the mirror answers again'))
    expect((await mirrors.status()).problems).toEqual({})
  })
})

async function goAwayAndReturn(
  { service }: Pick<MirroredService, 'service'>,
  isSynced: () => Promise<boolean>,
  over: string,
): Promise<void> {
  const afterMinute = async () => {
    await service.clock.advance('1m')
    return messages()
  }
  await expect
    .poll(async () => {
      await afterMinute()
      return await isSynced()
    }, PATIENTLY)
    .toBe(true)
  expect(messages()).toEqual([])
  await databases.server.crash()
  await expect.poll(afterMinute, PATIENTLY).toEqual([BEGUN])
  for (let minute = 0; minute < 120; minute += 1) await afterMinute()
  expect(printed.lines[0]?.fields).toMatchObject({ problem: expect.stringMatching(/\. \w/) })
  await databases.server.restart()
  await expect.poll(afterMinute, PATIENTLY).toEqual([BEGUN, over])
  for (let minute = 0; minute < 30; minute += 1) await afterMinute()
  expect(messages()).toEqual([BEGUN, over])
}
