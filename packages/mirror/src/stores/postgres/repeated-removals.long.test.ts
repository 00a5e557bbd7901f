import { anEvent } from '@notewire/webhooks/testing'
import { temporaryPath } from 'notewire-test-servers'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { abandoning } from '../../../fixtures/abandoning-store.ts'
import { type ManyCustomers, manyCustomers } from '../../../fixtures/many-customers.ts'
import { reads } from '../../../fixtures/store-reads.ts'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-database.ts'
import type { ConsumerChange, MirrorStore } from '../../index.ts'
import { unknownNote } from '../../notes/note-state.ts'
import { sqliteMirror } from '../sqlite/index.ts'
import { postgresMirror } from './index.ts'

const BUDGET = { budgetMs: 60_000 }
/** More notes than the store erases in one commit. */
const NOTES = 25

let databases: TestDatabases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.cleanUp.disposeAsync())

const places: Readonly<Record<string, () => Promise<MirrorStore>>> = {
  PostgreSQL: async () => postgresMirror(databases.poolOf(await databases.emptyDatabase())),
  SQLite: async () => {
    const store = sqliteMirror(temporaryPath(onTestFinished))
    onTestFinished(() => store.close?.())
    return store
  },
}

describe.each(Object.entries(places))('an account that leaves again in %s', (_name, open) => {
  it('is erased each time, and its key can be replaced by another', async () => {
    const store = await open()
    await using world = await manyCustomers(1, { store })
    const [customer] = world.customers
    const index = copyingConsumer()
    for (const word of ['first', 'second', 'third']) {
      connectAnotherAccount(world)
      for (let note = 0; note < NOTES; note += 1) customer?.write(`${word} ${note}`)
      await world.mirrors.add('customer-0')
      await world.mirrors.work(BUDGET)
      expect(world.parked).toEqual([])
      expect(await world.titles('customer-0')).toEqual(titlesOf(word))
      await consumeAll(world, index)
      expect([...index.notes.values()].sort()).toEqual(titlesOf(word))
      await world.mirrors.remove('customer-0')
      await world.mirrors.work(BUDGET)
      expect(await keptOf(store, word)).toEqual({ live: 0, found: 0, withContent: 0 })
      await consumeAll(world, index)
      expect([...index.notes]).toEqual([])
    }
  })

  it('leaves nothing of its notes but the ids for its consumers, whatever was known of them', async () => {
    const store = await open()
    await using world = await manyCustomers(1, { store })
    const [customer] = world.customers
    const index = copyingConsumer()
    for (const word of ['first', 'second']) {
      const notes = Array.from({ length: NOTES }, (_, note) => customer?.write(`${word} ${note}`))
      await world.mirrors.add('customer-0')
      await world.mirrors.work(BUDGET)
      await consumeAll(world, index)
      const receiver = world.mirrors.receivers({ secretOf: (_id) => undefined })
      // A deletion that is not confirmed, a note that was never read, and a deletion of a note that was never read.
      for (const [kind, noteId] of [
        ['note.deleted', notes[0]?.note_id ?? ''],
        ['note.updated', `${word} unread`],
        ['note.deleted', `${word} deleted unread`],
      ] as const) {
        await receiver.process(anEvent({ kind, noteId, revision: 7 }), { integration: 'customer-0' })
      }
      await world.mirrors.remove('customer-0')
      await world.mirrors.work(BUDGET)
      const erased = await Promise.all(
        [...notes.map((note) => note?.note_id ?? ''), `${word} unread`, `${word} deleted unread`].map(
          async (noteId) => (await reads(store).getNote('customer-0', noteId))?.state,
        ),
      )
      expect(erased).toEqual(erased.map((state) => ({ ...unknownNote(state?.noteId ?? ''), presence: 'gone' })))
      for (const note of notes) note?.delete()
    }
  })

  it('is erased by the next worker if a worker dies between any two calls of its store', async () => {
    for (let calls = 0; calls < 25; calls += 5) {
      const store = await open()
      await using world = await manyCustomers(1, { store })
      const [customer] = world.customers
      const index = copyingConsumer()
      await leaveOnce(world, index)
      for (let note = 0; note < 12; note += 1) customer?.write(`second ${note}`)
      await world.mirrors.add('customer-0')
      await world.mirrors.work(BUDGET)
      await consumeAll(world, index)
      await world.mirrors.remove('customer-0')
      const dying = world.another({ store: abandoning(store, calls) }).work(BUDGET)
      await Promise.race([dying, new Promise((resolve) => setTimeout(resolve, 100))])
      await world.service.clock.advance('61s')
      await world.mirrors.work(BUDGET)
      expect(await keptOf(store, 'second'), `after ${calls} calls`).toEqual({ live: 0, found: 0, withContent: 0 })
      await consumeAll(world, index)
      expect([...index.notes]).toEqual([])
    }
  })

  it('shows the next account none of its notes in the feed', async () => {
    const store = await open()
    await using world = await manyCustomers(1, { store })
    await leaveOnce(world, copyingConsumer())
    connectAnotherAccount(world)
    // More than a page of the feed.
    for (let note = 0; note < 120; note += 1) world.customers[0]?.write(`next ${note}`)
    await world.mirrors.add('customer-0')
    await world.mirrors.work(BUDGET)
    const kinds: string[] = []
    for await (const { kind } of world.mirrors.of('customer-0').changes()) kinds.push(kind)
    expect(new Set(kinds)).toEqual(new Set(['added']))
    expect(kinds).toHaveLength(120)
  })
})

/** Adds and removes the account with notes that a consumer has applied, and lets all notes of the service be deleted. */
async function leaveOnce(world: ManyCustomers, index: ReturnType<typeof copyingConsumer>): Promise<void> {
  const notes = Array.from({ length: NOTES }, (_, note) => world.customers[0]?.write(`first ${note}`))
  await world.mirrors.add('customer-0')
  await world.mirrors.work(BUDGET)
  await consumeAll(world, index)
  await world.mirrors.remove('customer-0')
  await world.mirrors.work(BUDGET)
  await consumeAll(world, index)
  for (const note of notes) note?.delete()
}

/** Lets the customer connect an account with another key, which sees the same notes that are not deleted. */
function connectAnotherAccount({ service, customers }: ManyCustomers): void {
  const [customer] = customers
  if (customer === undefined) return
  const channel = service.owner.createChannel('another account')
  customer.apiKey = service.owner.createIntegration({ channels: [channel] }).issueKey().key
  Object.assign(customer, {
    write: (title: string) => service.owner.record({ title, channel }).end({ summary: false }),
  })
}

async function consumeAll({ mirrors }: ManyCustomers, { options }: ReturnType<typeof copyingConsumer>): Promise<void> {
  while ((await mirrors.of('customer-0').consumeDue(options)).nextAt !== null);
}

function copyingConsumer() {
  const notes = new Map<string, unknown>()
  const apply = (changes: readonly ConsumerChange[]) => {
    for (const change of changes) {
      if (change.kind === 'content') notes.set(change.noteId, change.note.title)
      else notes.delete(change.noteId)
    }
  }
  return { notes, options: { name: 'index', apply } }
}

function titlesOf(word: string): readonly string[] {
  return Array.from({ length: NOTES }, (_, note) => `${word} ${note}`).sort()
}

/** How much the store keeps of an account that has left. */
async function keptOf(store: MirrorStore, word: string) {
  const { listNotes, search, listChanges, getNote } = reads(store)
  const changed = await listChanges('customer-0', 0, 1_000)
  const stored = await Promise.all(changed.map(({ state }) => getNote('customer-0', state.noteId)))
  return {
    live: (await listNotes('customer-0', '', 1_000)).length,
    found: (await search('customer-0', [word], 1_000)).length,
    withContent: stored.filter((note) => note?.note ?? note?.transcript ?? note?.summary).length,
  }
}
