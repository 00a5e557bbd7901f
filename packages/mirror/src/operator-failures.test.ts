import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { manyCustomers, receiverOnPort, workFor } from '../fixtures/many-customers.ts'
import { type MirroredService, mirroredService } from '../fixtures/mirrored-service.ts'
import { collectPrinted, DEFAULT_LOGGER } from '../fixtures/printed.ts'
import { SILENT } from '../fixtures/silent-logger.ts'
import { whileRunning } from '../fixtures/while-running.ts'
import { type ConsumerChange, createMirrors, type MirrorStore } from './index.ts'
import { sqliteMirror } from './stores/sqlite/index.ts'

const printed = collectPrinted()
const { codes } = printed

const BUDGET = { budgetMs: 10_000 }
const ANOTHER_SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY'
const file = () => join(tmpdir(), `notewire-log-${crypto.randomUUID()}.db`)
/** Advances the clock in steps, and lets the real disk answer between them. */
async function pass({ service }: Pick<MirroredService, 'service'>, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    await service.clock.advance('1m')
    await new Promise((resolve) => setTimeout(resolve, 3))
  }
}

const OUTAGES = [
  { status: 401, code: 'unauthorized', level: 'error' },
  { status: 403, code: 'forbidden', level: 'error' },
  { status: 429, code: 'rate_limited', level: 'warn' },
  { status: 500, code: 'server_error', level: 'warn' },
  { status: 503, code: 'server_error', level: 'warn' },
]

describe('what one mirror prints by default', () => {
  it.each(OUTAGES)(
    'says that the service answers $status when it begins and when it ends',
    async ({ status, code, level }) => {
      await using world = await mirroredService({ notes: 3 }, DEFAULT_LOGGER, { maxRetries: 0 })
      await whileRunning(world.mirror, async () => {
        await world.service.clock.advance('1m')
        const outage = world.service.faults.inject({ request: '* /v1/**', fault: { kind: 'status', status } })
        await world.service.clock.advance('3h')
        expect(codes()).toEqual([`${level} ${code}`])
        expect(printed.lines[0]?.fields).toMatchObject({
          integration: 'default',
          problem: expect.stringMatching(/\w\. /),
        })
        const { problem } = await world.mirror.status()
        expect(problem).toMatchObject({ code, since: expect.any(Date) })
        outage.remove()
        await world.service.clock.advance('2h')
        expect(codes()).toEqual([`${level} ${code}`, `info ${code}`])
        expect(Number(printed.lines[1]?.fields['seconds'])).toBeGreaterThan(3 * 3_600 - 600)
        expect((await world.mirror.status()).problem).toBeNull()
      })
      expect(JSON.stringify(printed.lines)).not.toContain(world.service.apiKey)
    },
  )

  it('prints nothing of a call that rejects, and stores its problem', async () => {
    await using world = await mirroredService({ notes: 3 }, DEFAULT_LOGGER, { maxRetries: 0 })
    const outage = world.service.faults.inject({ request: '* /v1/**', fault: { kind: 'status', status: 401 } })
    await expect(world.mirror.sync()).rejects.toMatchObject({ code: 'unauthorized' })
    expect((await world.mirror.status()).problem).toMatchObject({ code: 'unauthorized' })
    outage.remove()
    await world.mirror.sync()
    expect((await world.mirror.status()).problem).toBeNull()
    expect(printed.lines).toEqual([])
  })

  it('does not print again what another process has printed, and prints that the problem has another cause', async () => {
    const store = sqliteMirror(file())
    await using world = await mirroredService({ notes: 3 }, { store, ...DEFAULT_LOGGER }, { maxRetries: 0 })
    const faults = world.service.faults
    const first = faults.inject({ request: '* /v1/**', fault: { kind: 'status', status: 503 } })
    for (let process = 0; process < 3; process += 1) {
      const mirror = world.another({ store, ...DEFAULT_LOGGER })
      await whileRunning(mirror, () => pass(world, 10))
    }
    expect(codes()).toEqual(['warn server_error'])
    first.remove()
    const second = faults.inject({ request: '* /v1/**', fault: { kind: 'status', status: 401 } })
    await whileRunning(world.another({ store, ...DEFAULT_LOGGER }), async () => {
      await pass(world, 10)
      second.remove()
      await pass(world, 120)
    })
    expect(codes()).toEqual(['warn server_error', 'error unauthorized', 'info unauthorized'])
    await store.close?.()
  })

  it('prints once that its store fails, and once that it works again', async () => {
    const store = sqliteMirror(file())
    const failing = failingStore(store)
    await using world = await mirroredService({ notes: 3 }, { store: failing.store, ...DEFAULT_LOGGER })
    await whileRunning(world.mirror, async () => {
      await pass(world, 1)
      failing.error = Object.assign(new Error('database or disk is full: note "Private"'), { code: 'SQLITE_FULL' })
      await pass(world, 120)
      expect(codes()).toEqual(['error SQLITE_FULL'])
      expect(printed.lines[0]?.message).toContain('disk')
      failing.error = undefined
      await pass(world, 60)
    })
    expect(codes()).toEqual(['error SQLITE_FULL', 'info SQLITE_FULL'])
    expect(JSON.stringify(printed.lines)).not.toContain('Private')
    await store.close?.()
  })

  it('says once that events no longer arrive, and once that they arrive again', async () => {
    await using world = await mirroredService({ notes: 3 }, { pollEveryMs: 600_000, ...DEFAULT_LOGGER })
    let isBroken = false
    await world.service.connect((secret) => {
      const { fetch } = world.mirror.receiver({ secret, logger: SILENT })
      return async (request) => (isBroken ? new Response(null, { status: 204 }) : await fetch(request))
    })
    await whileRunning(world.mirror, async () => {
      await world.service.clock.advance('1m')
      world.service.owner.record({ title: 'Heard' }).end()
      await world.service.clock.advance('5m')
      isBroken = true
      for (let hour = 0; hour < 5; hour += 1) {
        world.service.owner.record({ title: 'Not heard' }).end()
        await world.service.clock.advance('1h')
      }
      expect(codes()).toEqual(['warn silent'])
      isBroken = false
      world.service.owner.record({ title: 'Heard again' }).end()
      await world.service.clock.advance('1h')
    })
    expect(codes()).toEqual(['warn silent', 'info silent'])
  })

  it('says once that a consumer fails, and once that it works again', async () => {
    await using world = await mirroredService({ notes: 3 }, DEFAULT_LOGGER)
    await world.mirror.sync()
    let isBroken = true
    const apply = () => {
      if (isBroken) throw Object.assign(new Error('row of "Private"'), { code: '23505' })
    }
    expect(await world.mirror.consumerStatus('serach')).toMatchObject({ hasRun: false, lag: 3 })
    const stop = new AbortController()
    const consuming = world.mirror.consume({ name: 'search', apply, signal: stop.signal })
    // The consumer may begin to wait only after the clock was advanced.
    const codesLater = async () => {
      await world.service.clock.advance('30m')
      return codes()
    }
    await expect.poll(codesLater).toEqual(['error 23505'])
    // Once all notes have failed, the consumer backs off.
    await expect.poll(async () => (await world.mirror.consumerStatus('search')).backoff).not.toBeNull()
    isBroken = false
    await expect.poll(codesLater).toEqual(['error 23505', 'info consumer-over'])
    stop.abort()
    await consuming
    expect(await world.mirror.consumerStatus('search')).toMatchObject({ hasRun: true, lag: 0 })
    expect(JSON.stringify(printed.lines)).not.toContain('Private')
  })

  it('says how to see a message that is left out, and adds it with logErrorMessages', async () => {
    const failing = failingStore(sqliteMirror(':memory:'))
    await using world = await mirroredService({ notes: 3 }, { store: failing.store, ...DEFAULT_LOGGER })
    failing.error = new Error('row of "Private"')
    await whileRunning(world.mirror, () => pass(world, 1))
    await whileRunning(world.another({ store: failing.store, logErrorMessages: true, ...DEFAULT_LOGGER }), () =>
      pass(world, 1),
    )
    expect(printed.lines.map(({ fields }) => fields)).toEqual([
      expect.objectContaining({ more: expect.stringContaining('logErrorMessages: true'), at: expect.any(Array) }),
      {},
      expect.objectContaining({ error_message: 'row of "Private"' }),
    ])
    expect(printed.lines[1]).toMatchObject({ level: 'warn', message: expect.stringContaining('only in development') })
    const asText = { logErrorMessages: 'false' } as unknown as { logErrorMessages: boolean }
    expect(() => world.another(asText)).toThrow(/logErrorMessages/)
  })

  it('takes logErrorMessages for its receiver, whose lines name it', async () => {
    await using world = await mirroredService({}, DEFAULT_LOGGER)
    world.mirror.receiver({ secret: ANOTHER_SECRET, logErrorMessages: true })
    expect(printed.lines).toHaveLength(1)
  })

  it('says once that the content of a note cannot be fetched, and does not repeat it', async () => {
    await using world = await mirroredService({ notes: 3 }, DEFAULT_LOGGER, { maxRetries: 0 })
    await whileRunning(world.mirror, async () => {
      await world.service.clock.advance('1m')
      const fault = { kind: 'status', status: 500 } as const
      world.service.faults.inject({ request: 'GET /v1/notes/*/transcript', fault })
      world.service.owner.record({ title: 'Broken' }).end()
      await world.service.clock.advance('3h')
    })
    expect(codes()).toEqual(['warn server_error'])
    expect(printed.lines[0]?.message).toContain('a note')
  })

  it('shows no time in the future after a clock was a year ahead', async () => {
    await using world = await mirroredService({ notes: 3 })
    const ahead = { now: () => world.service.clock.now() + 365 * 86_400_000, sleep: () => nextTurn() }
    const store = sqliteMirror(file())
    await world.another({ store, clock: ahead }).sync({ fullListing: 'now' })
    const { correctAsOf, polledAt } = await world.another({ store }).status()
    const now = world.service.clock.now()
    expect(correctAsOf?.getTime() ?? 0).toBeLessThanOrEqual(now)
    expect(polledAt?.getTime() ?? 0).toBeLessThanOrEqual(now)
    await store.close?.()
  })
})

describe('what the mirrors of many integrations print by default', () => {
  it.each(OUTAGES.filter(({ status }) => status !== 500))(
    'says in one line that the service answers $status to all, and in one that it is over',
    async ({ status, code, level }) => {
      await using world = await manyCustomers(60, { pollEveryMs: 86_400_000, ...DEFAULT_LOGGER })
      for (const { integration } of world.customers) await world.mirrors.add(integration)
      const outage = world.service.faults.inject({ request: '* /v1/**', fault: { kind: 'status', status } })
      await whileRunning(world.mirrors, () => world.service.clock.advance('30m'))
      const lines = printed.lines.length
      expect(lines).toBeGreaterThan(0)
      expect(lines).toBeLessThanOrEqual(30)
      expect(new Set(codes())).toEqual(new Set([`${level} ${code}`]))
      expect(printed.lines.some(({ fields }) => Number(fields['integrations']) > 1)).toBe(true)
      const { problems } = await world.mirrors.status()
      expect(problems[code]).toBeGreaterThan(0)
      outage.remove()
      await whileRunning(world.mirrors, () => world.service.clock.advance('2h'))
      expect(new Set(codes())).toEqual(new Set([`${level} ${code}`, `info ${code}`]))
      expect((await world.mirrors.status()).problems).toEqual({})
      expect(JSON.stringify(printed.lines)).not.toContain(world.customers[0]?.apiKey)
    },
  )

  it('prints the beginning once if a new process works every minute', async () => {
    const store = sqliteMirror(file())
    await using world = await manyCustomers(1, { store, ...DEFAULT_LOGGER })
    await world.mirrors.add('customer-0')
    await workFor(world, 1)
    const outage = world.service.faults.inject({ request: '* /v1/**', fault: { kind: 'status', status: 503 } })
    for (let minute = 0; minute < 15; minute += 1) {
      await world.another({}).work({ budgetMs: 10_000 })
      await world.service.clock.advance('1m')
    }
    expect(codes()).toEqual(['warn server_error'])
    expect(await world.mirrors.get('customer-0')).toMatchObject({ problem: { code: 'server_error' } })
    outage.remove()
    for (let minute = 0; minute < 15; minute += 1) {
      await world.another({}).work({ budgetMs: 10_000 })
      await world.service.clock.advance('1m')
    }
    expect(codes()).toEqual(['warn server_error', 'info server_error'])
    const { problem, syncedAt } = (await world.mirrors.get('customer-0')) ?? {}
    expect(problem).toBeNull()
    expect(syncedAt).toBeInstanceOf(Date)
    await store.close?.()
  })

  it('prints once that the store fails, and once that it answers again', async () => {
    const store = sqliteMirror(file())
    const failing = failingStore(store)
    await using world = await manyCustomers(3, { store: failing.store, ...DEFAULT_LOGGER })
    for (const { integration } of world.customers) await world.mirrors.add(integration)
    await whileRunning(world.mirrors, async () => {
      await pass(world, 1)
      failing.error = Object.assign(new Error('disk full: Private'), { code: 'ENOSPC' })
      await pass(world, 60)
      failing.error = undefined
      await pass(world, 60)
    })
    expect(codes()).toEqual(['error ENOSPC', 'info ENOSPC'])
    expect(JSON.stringify(printed.lines)).not.toContain('Private')
    await store.close?.()
  })

  it('waits for a store that fails when the process starts', async () => {
    const store = sqliteMirror(file())
    const failing = failingStore(store)
    await using world = await manyCustomers(1, { store: failing.store, ...DEFAULT_LOGGER })
    world.customers[0]?.write('mine')
    await world.mirrors.add('customer-0')
    failing.error = Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' })
    const later = world.another({ store: failing.store, ...DEFAULT_LOGGER })
    const stop = new AbortController()
    const titles = new Set<string>()
    const apply = (changes: readonly ConsumerChange[]) => {
      for (const change of changes) if (change.kind === 'content') titles.add(String(change.note.title))
    }
    const consuming = later.of('customer-0').consume({ name: 'search', apply, signal: stop.signal })
    await whileRunning(later, async () => {
      await pass(world, 10)
      expect(codes()).toEqual(['error ECONNREFUSED', 'error ECONNREFUSED'])
      await expect(later.status()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
      failing.error = undefined
      await pass(world, 60)
    })
    stop.abort()
    await consuming
    expect(titles).toEqual(new Set(['mine']))
    const over = ['info ECONNREFUSED', 'info consumer-over']
    expect([...codes()].sort()).toEqual(['error ECONNREFUSED', 'error ECONNREFUSED', ...over])
    await store.close?.()
  })

  it('prints that a consumer fails, also in a process that only consumes', async () => {
    await using world = await manyCustomers(1, DEFAULT_LOGGER)
    world.customers[0]?.write('mine')
    await world.mirrors.add('customer-0')
    await world.mirrors.work(BUDGET)
    const apply = () => Promise.reject(Object.assign(new Error('row of "Private"'), { code: '23505' }))
    await world.mirrors.of('customer-0').consumeDue({ name: 'search', apply })
    expect(codes()).toEqual(['error 23505'])
    expect(printed.lines[0]?.fields).toMatchObject({ consumer: 'search', integration: 'customer-0' })
  })

  it('prints which deliveries have no valid signature, and once that no events arrive, if a secret is wrong', async () => {
    await using world = await manyCustomers(1, { pollEveryMs: 600_000, ...DEFAULT_LOGGER })
    await using port = await receiverOnPort(world.mirrors, DEFAULT_LOGGER)
    await world.mirrors.add('customer-0', port.optionsFor('customer-0'))
    const passHours = async (hours: number) => {
      for (let hour = 0; hour < hours; hour += 1) {
        world.customers[0]?.write('Private')
        await workFor(world, 60)
      }
    }
    const right = port.secrets.get('customer-0') ?? ''
    await passHours(2)
    expect(printed.lines).toEqual([])
    port.replaceSecret('customer-0', ANOTHER_SECRET)
    await passHours(6)
    port.replaceSecret('customer-0', right)
    await passHours(6)
    const refused = printed.lines.filter(({ fields }) => fields['reason'] === 'no-matching-signature')
    expect(refused.length).toBeGreaterThan(0)
    expect(refused[0]?.fields).toMatchObject({ integration: 'customer-0', detail: expect.stringContaining('secret') })
    const others = printed.lines.filter((line) => !refused.includes(line))
    expect(others.map(({ level, message }) => `${level} ${message}`)).toEqual([
      expect.stringMatching(/^warn no events arrive.*its deliveries are rejected/),
      'info events arrive again',
    ])
    for (const secret of [right, ANOTHER_SECRET, 'Private']) expect(JSON.stringify(printed.lines)).not.toContain(secret)
  })

  it('refuses a logger without its methods', () => {
    const store = sqliteMirror(':memory:')
    const connect = () => ({ baseUrl: 'https://notes.example', apiKey: 'key' })
    expect(() => createMirrors({ store, connect, logger: {} as Console })).toThrow(/logger/)
  })
})

/** A store of which every operation fails while `error` is set. */
function failingStore(store: MirrorStore) {
  const failing: { error: Error | undefined; store: MirrorStore } = { error: undefined, store }
  const guarded = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get(_, name) {
        const value: unknown = Reflect.get(target, name)
        if (name === 'integrations') return guarded(value as object)
        if (typeof value !== 'function') return value
        return (...values: unknown[]) =>
          failing.error === undefined ? Reflect.apply(value, target, values) : Promise.reject(failing.error)
      },
    })
  failing.store = guarded(store)
  return failing
}
