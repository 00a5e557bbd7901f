import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { manyCustomers } from '../../../fixtures/many-customers.ts'
import { mirroredService } from '../../../fixtures/mirrored-service.ts'
import { collectPrinted, DEFAULT_LOGGER } from '../../../fixtures/printed.ts'
import { MOUNTS, type SmallDisk, smallDisk } from '../../../fixtures/stores/sqlite/small-disk.ts'
import { whileRunning } from '../../../fixtures/while-running.ts'
import { sqliteMirror } from './sqlite-mirror.ts'

const printed = collectPrinted()
const messages = () => printed.lines.map(({ level, message }) => `${level} ${message}`)

const BEGUN = expect.stringMatching(/^error the store of the mirror failed; check its disk or its database server/)
const CONTENT = `Private ${'words '.repeat(5_000)}`
/** Bringing the copies up to date takes a busy machine a while. */
const PATIENTLY = { timeout: 300_000 }
const PROBLEM = { code: 'sqlite_failed', since: expect.any(Date) }

describe('what is printed while the disk of the file is full', MOUNTS, () => {
  it('is one line at the beginning and one at the end, by one mirror, whose status shows the problem', async () => {
    using disk = smallDisk()
    const store = sqliteMirror(join(disk.folder, 'notes.db'))
    await using world = await mirroredService({ notes: 3 }, { store, ...DEFAULT_LOGGER })
    const { service, mirror } = world
    await whileRunning(mirror, async () => {
      const afterMinute = async () => {
        service.owner.record({ title: 'Private', content: CONTENT }).end()
        await service.clock.advance('1m')
        return messages()
      }
      const whileFull = async () => expect((await mirror.status()).problem).toEqual(PROBLEM)
      await fillAndFree(disk, { afterMinute, whileFull, over: 'info the store of the mirror answers again' })
    })
    expect((await mirror.status()).problem).toBeNull()
    store.close()
  })

  it('is one line at the beginning and one at the end, by the mirrors of many integrations, whose status shows the problem', async () => {
    using disk = smallDisk()
    const store = sqliteMirror(join(disk.folder, 'notes.db'))
    await using world = await manyCustomers(5, { store, ...DEFAULT_LOGGER })
    const { service, mirrors, customers } = world
    for (const { integration } of customers) await mirrors.add(integration)
    await whileRunning(mirrors, async () => {
      const afterMinute = async () => {
        customers[0]?.write('Private')
        await service.clock.advance('1m')
        return messages()
      }
      const whileFull = async () => expect((await mirrors.status()).problem).toEqual(PROBLEM)
      await fillAndFree(disk, { afterMinute, whileFull, over: 'info the store of the mirror answers again' })
      expect((await mirrors.status()).problem).toBeNull()
    })
    store.close()
  })
})

interface Acts {
  readonly afterMinute: () => Promise<readonly string[]>
  readonly whileFull: () => Promise<void>
  readonly over: string
}

async function fillAndFree(disk: SmallDisk, { afterMinute, whileFull, over }: Acts): Promise<void> {
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      await afterMinute()
      // Lets the real disk answer.
      await sleep(5)
    }
  }
  await pass(5)
  expect(messages()).toEqual([])
  disk.fill()
  await expect.poll(afterMinute, PATIENTLY).toEqual([BEGUN])
  await pass(40)
  expect(messages()).toEqual([BEGUN])
  expect(printed.lines[0]?.fields).toMatchObject({ problem: expect.stringContaining('Free space on the disk') })
  await whileFull()
  disk.free()
  await expect.poll(afterMinute, PATIENTLY).toEqual([BEGUN, over])
  await pass(20)
  expect(messages()).toEqual([BEGUN, over])
  expect(JSON.stringify(printed.lines)).not.toContain('Private')
}
