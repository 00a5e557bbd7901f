import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it } from 'node:test'
import { createMirrors } from '@notewire/mirror'
import { postgresMirror } from '@notewire/mirror/postgres'
import { createNotesService } from '@notewire/mock-server'
import { nodeHandler } from '@notewire/webhooks/node'
import { openPool, startPostgres } from 'notewire-test-servers'
import { Client } from 'pg'

// Measures the numbers in `docs/mirror/applications.md` with a virtual clock.

const ACCOUNTS = 4
const BUDGET = { budgetMs: 60_000 }
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

it('needs the numbers of requests and statements in the documentation', async () => {
  await using world = await startAccounts(ACCOUNTS)
  const { service, mirrors, measure } = world

  // After 30 hours, there is one poll per hour, and the next full listing and the next check of the endpoint are hours away.
  await workUntil(world, service.clock.now() + 1.25 * DAY)
  const poll = await measure(async () => {
    await service.clock.advance('1h')
    await mirrors.work(BUDGET)
  })
  console.log('a quiet poll:', perUnit(poll, ACCOUNTS))
  assert.equal(poll.requests, ACCOUNTS)

  const [owner] = service.owners
  assert.ok(owner)
  const delivery = { ...NOTHING }
  const reading = { ...NOTHING }
  const measureEvent = async (act: () => unknown, time: `${number}s`) => {
    const before = service.attempts.length
    add(
      delivery,
      await measure(async () => {
        await act()
        await service.clock.advance(time)
      }),
    )
    assert.equal(service.attempts.length, before + 1)
    add(reading, await measure(() => mirrors.work({ integration: owner.name, ...BUDGET })))
  }
  for (let note = 0; note < 3; note += 1) {
    const recording = owner.record({ title: 'Stand-up' })
    await measureEvent(() => recording.end(), '4s')
    await measureEvent(() => undefined, '30s')
    await measureEvent(() => recording.note.edit({ title: 'Stand-up, Monday' }), '10s')
    await measureEvent(() => recording.note.edit({ content: 'Agenda' }), '10s')
  }
  console.log('an event, received:', perUnit(delivery, 12))
  console.log('an event, read:', perUnit(reading, 12))

  const week = await measure(async () => {
    const start = service.clock.now()
    for (let day = 0; day < 7; day += 1) {
      for (let note = 0; note < 3 && day < 5; note += 1) {
        await workUntil(world, start + day * DAY + (9 + 3 * note) * 60 * MINUTE)
        for (const each of service.owners) {
          const note = each.record({ title: 'Stand-up' }).end()
          world.later.push({
            at: service.clock.now() + 5 * MINUTE,
            act: () => note.edit({ title: 'Stand-up, Monday' }),
          })
          world.later.push({ at: service.clock.now() + 10 * MINUTE, act: () => note.edit({ content: 'Agenda' }) })
        }
      }
    }
    await workUntil(world, start + 7 * DAY)
  })
  console.log('a week of one account:', perUnit(week, ACCOUNTS))
  assert.equal(week.deliveries, ACCOUNTS * 5 * 3 * 4)
})

interface Cost {
  /** Requests to the service. */
  requests: number
  polls: number
  reads: number
  deliveries: number
  statements: number
}

const NOTHING: Readonly<Cost> = { requests: 0, polls: 0, reads: 0, deliveries: 0, statements: 0 }

function add(sum: Cost, more: Cost): void {
  for (const key of Object.keys(sum) as (keyof Cost)[]) sum[key] += more[key]
}

function perUnit(cost: Cost, units: number) {
  return Object.fromEntries(Object.entries(cost).map(([key, value]) => [key, Math.round((value / units) * 100) / 100]))
}

async function startAccounts(count: number) {
  const cleanUp = new AsyncDisposableStack()
  const postgres = cleanUp.use(await startPostgres())
  const pool = openPool(postgres.url)
  cleanUp.defer(() => pool.end())
  const service = cleanUp.use(await createNotesService({ owners: count, notes: 20 }))
  const secrets = new Map<string, string>()
  const mirrors = createMirrors({
    store: { ...postgresMirror(pool), clock: service.clock },
    connect: (name) => ({
      baseUrl: service.baseUrl,
      apiKey: service.owners.find((owner) => owner.name === name)?.apiKey ?? '',
      fetch: service.fetch,
    }),
  })
  const receiver = mirrors.receivers({ secretOf: (name) => secrets.get(name) })
  const integrationOf = ({ url = '' }) => url.slice(1)
  const server = createServer(nodeHandler(receiver, { integrationOf })).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUp.defer(() => void server.close().closeAllConnections())
  for (const { name } of service.owners) {
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}`
    await mirrors.add(name, { endpoint, saveSecret: (secret) => secrets.set(name, secret) })
  }
  const later: { at: number; act: () => void }[] = []

  async function measure(work: () => Promise<unknown>): Promise<Cost> {
    const before = [service.requests.length, service.attempts.length] as const
    const statements = await countStatements(work)
    const requests = service.requests.slice(before[0])
    return {
      requests: requests.length,
      polls: requests.filter(({ path }) => path.split('?')[0] === '/v1/notes').length,
      reads: requests.filter(({ path }) => path.startsWith('/v1/notes/')).length,
      deliveries: service.attempts.length - before[1],
      statements,
    }
  }

  return { service, mirrors, measure, later, [Symbol.asyncDispose]: () => cleanUp.disposeAsync() }
}

/** Calls `work` whenever something is due, and every minute while owners write. */
async function workUntil(
  { service, mirrors, later }: Awaited<ReturnType<typeof startAccounts>>,
  end: number,
): Promise<void> {
  for (let busyUntil = 0; ; ) {
    const { nextAt } = await mirrors.work(BUDGET)
    const now = service.clock.now()
    for (const { at, act } of later.filter((each) => each.at <= now)) {
      act()
      busyUntil = at + 2 * MINUTE
    }
    later.splice(0, later.length, ...later.filter(({ at }) => at > now))
    if (now >= end) return
    const nextCheck = later.length > 0 || now < busyUntil ? now + MINUTE : end
    await service.clock.advance(
      Math.max(1, Math.min(nextAt ?? end, end, nextCheck, ...later.map(({ at }) => at)) - now),
    )
  }
}

/** Counts the statements that are sent to PostgreSQL. */
async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const { query } = Client.prototype
  let statements = 0
  Client.prototype.query = function counted(this: Client, ...parameters: never[]) {
    statements += 1
    return Reflect.apply(query, this, parameters)
  } as typeof query
  await work()
  Client.prototype.query = query
  return statements
}
