import { isDeepStrictEqual } from 'node:util'
import { type ConsumerChange, IntegrationRemovedError, type MirrorStore, type Mirrors } from '@notewire/mirror'
import { reads } from '../../packages/mirror/fixtures/store-reads.ts'
import type { Random } from '../simulation/random.ts'
import { StepBudget } from '../simulation/step-budget.ts'
import type { Customer } from './customers.ts'

const BUDGET = { budgetMs: 60_000 }
/** More notes than a store erases in one commit. */
const MOST_NOTES = 25
/** More calls than a removal of that many notes makes. */
const MOST_CALLS = 60

interface Leaving {
  readonly random: Random
  readonly mirrors: Mirrors
  readonly store: MirrorStore
  /** The titles that the consumer of each integration has stored, by note id. */
  readonly consumed: Map<string, Map<string, string>>
  /** Starts a process with another store. */
  readonly processWith: (store: MirrorStore) => Mirrors
  /** Lets the time pass after which the next poll is due, and leases of processes that were killed have ended. */
  readonly passTime: () => Promise<void>
}

/**
 * Lets a customer's account leave and another one, or the same one, take its place, some times. A consumer applies some or all changes, and
 * processes are killed while they erase.
 *
 * @returns what of a removed account can be read; `undefined` if nothing can
 */
export async function leaveAndReturn(customer: Customer, leaving: Leaving): Promise<string | undefined> {
  const { random, mirrors } = leaving
  const { integration } = customer
  for (let times = random.integer(1, 3); times > 0; times -= 1) {
    for (let notes = random.integer(1, MOST_NOTES); notes > 0; notes -= 1) customer.write()
    await leaving.passTime()
    await mirrors.work(BUDGET)
    if (random.chance(0.8)) await consume(customer, leaving, random.chance(0.5) ? 3 : undefined)
    await Promise.all(Array.from({ length: random.integer(1, 2) }, () => mirrors.remove(integration)))
    const shown = await shownAfterRemoval(customer, mirrors)
    if (shown !== undefined) return shown
    customer.leave(random.chance(0.7))
    if (random.chance(0.5)) await workUntilKilled(leaving, integration)
    const isErased = random.chance(0.7)
    if (isErased) await mirrors.work(BUDGET)
    const kept = isErased ? await keptContent(customer, leaving) : undefined
    if (kept !== undefined) return kept
    if (random.chance(0.5)) await consumeRemovals(customer, leaving)
    await mirrors.add(integration)
    await mirrors.work(BUDGET)
    const wrong = (await keptContent(customer, leaving)) ?? (await wrongAfterReturn(customer, leaving))
    if (wrong !== undefined) return wrong
  }
  return undefined
}

/** Applies changes to the customer's copy. With `rounds`, only the changes of so many rounds. */
async function consume(
  { integration }: Customer,
  { mirrors, consumed }: Leaving,
  rounds = Number.POSITIVE_INFINITY,
): Promise<void> {
  const copy = consumed.get(integration) ?? new Map<string, string>()
  consumed.set(integration, copy)
  const apply = (changes: readonly ConsumerChange[]) => {
    for (const change of changes) {
      if (change.kind === 'content') copy.set(change.noteId, change.note.title ?? '')
      else copy.delete(change.noteId)
    }
  }
  for (let left = rounds; left > 0; left -= 1) {
    const { nextAt } = await mirrors.of(integration).consumeDue({ name: 'index', batchSize: 4, apply })
    if (nextAt === null) return
  }
}

/** Applies removals, if the integration waits for its consumer. */
async function consumeRemovals(customer: Customer, leaving: Leaving): Promise<void> {
  await consume(customer, leaving, MOST_NOTES).catch((error) => {
    if (!(error instanceof IntegrationRemovedError)) throw error
  })
}

async function shownAfterRemoval({ integration, titles }: Customer, mirrors: Mirrors): Promise<string | undefined> {
  const mirror = mirrors.of(integration)
  const [title = ''] = titles
  const readings = {
    list: () => mirror.list()[Symbol.asyncIterator]().next(),
    changes: () => mirror.changes()[Symbol.asyncIterator]().next(),
    search: () => mirror.search(title),
    get: () => mirror.get('note'),
  }
  for (const [name, read] of Object.entries(readings)) {
    const outcome = await read().then(
      () => 'shown',
      (error: unknown) => error,
    )
    if (!(outcome instanceof IntegrationRemovedError)) return `${name} reads a removed account`
  }
  return undefined
}

/** Lets a process work on the integration until it is killed between two calls of its store. */
async function workUntilKilled({ random, store, processWith, passTime }: Leaving, integration: string): Promise<void> {
  const life = new StepBudget(random.integer(1, MOST_CALLS) - 1)
  await Promise.race([processWith(life.of(store)).work({ ...BUDGET, integration }), life.exhausted])
  await passTime()
}

/** Finds content of accounts that have left in the tables and in the search index. */
async function keptContent({ integration, titles, former }: Customer, { store }: Leaving): Promise<string | undefined> {
  const { search, getNote } = reads(store)
  for (const { noteId, title } of former) {
    if (titles.has(title)) continue
    const stored = await getNote(integration, noteId)
    if ((stored?.note ?? stored?.transcript ?? stored?.summary) != null) return 'a store keeps a removed account'
    if ((await search(integration, [title], 10)).some(({ note }) => note?.title === title)) {
      return 'a search finds a removed account'
    }
  }
  return undefined
}

/** Compares everything that shows the account that has taken the place of another with what the service has. */
async function wrongAfterReturn(customer: Customer, leaving: Leaving): Promise<string | undefined> {
  const { mirrors, consumed } = leaving
  const mirror = mirrors.of(customer.integration)
  const titles = [...customer.titles].sort()
  const listed: string[] = []
  for await (const { note } of mirror.list()) listed.push(note.title ?? '')
  if (!isDeepStrictEqual(listed.sort(), titles)) return 'an account that came back shows other notes'
  const fed = new Set<string>()
  for await (const { noteId } of mirror.changes()) fed.add(noteId)
  const isForeign = customer.former.some(({ noteId, title }) => fed.has(noteId) && !customer.titles.has(title))
  if (isForeign) return 'the feed shows a removed account'
  await consume(customer, leaving)
  const copy = [...(consumed.get(customer.integration)?.values() ?? [])].sort()
  return isDeepStrictEqual(copy, titles) ? undefined : 'a consumer keeps a removed account'
}
