import { setTimeout as sleep } from 'node:timers/promises'
import type { NoteEvent, WebhookEvent } from '@notewire/protocol'
import fc from 'fast-check'
import { isInstalled, type Postgres, type Redis, startPostgres, startRedis } from 'notewire-test-servers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { heldHandler } from '../fixtures/held-handler.ts'
import { recordingLogger } from '../fixtures/recording-logger.ts'
import { secretOf } from '../fixtures/secret-of.ts'
import { TEST_SECRET } from '../fixtures/secrets.ts'
import { storeWith } from '../fixtures/store-with.ts'
import type { ProcessOutcome } from '../receiver/outcome.ts'
import { createReceiver } from '../receiver/receiver.ts'
import type { ReceiverOptions } from '../receiver/receiver-options.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { anEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'
import { type Engine, openEngine } from './fixtures/engine.ts'
import { startQueueProcess } from './fixtures/start-queue-process.ts'

// Servers that lose nothing that they have confirmed.
const engines = [
  ['bullmq', () => startRedis({ durable: true })],
  ['pg-boss', () => startPostgres({ durable: true })],
] as const

const playable = engines.filter(([engine]) => engine !== 'bullmq' || isInstalled('redis-server'))

describe.concurrent.each(playable)('a queue of %s', (engineName, startServer) => {
  let server: Redis | Postgres
  let engine: Engine
  let queues = 0
  beforeAll(async () => {
    server = await startServer()
    engine = await openEngine(engineName, server.url)
  })
  afterAll(async () => {
    await engine[Symbol.asyncDispose]()
    await server.stop()
  })

  function aQueueName(): string {
    queues += 1
    return `events-${queues}`
  }

  it('gives the event of a worker that was killed to another', async () => {
    const name = aQueueName()
    const event = anEvent({ kind: 'note.updated' })
    await engine.queue(name).enqueue('default', event)
    await using killed = startQueueProcess('worker', engineName, server.url, name)
    expect(await killed.line()).toBe(event.event_id)
    const { receiver, applied } = aReceiver({ store: engine.store })
    await using _worker = await engine.worker(name, receiver)
    await killed.kill()
    await eventually(async () => expect(applied).toEqual([event]))
  })

  it('hands events to a worker, which processes each', async () => {
    const name = aQueueName()
    const { deliver } = aReceiver({ queue: engine.queue(name) })
    const { receiver, applied } = aReceiver()
    const events = [1, 2, 3].map((note) => anEvent({ kind: 'note.updated', noteId: `note_${note}` }))
    for (const event of events) expect((await deliver(event)).status).toBe(204)
    await using _worker = await engine.worker(name, receiver)
    await eventually(async () => expect(idsOf(applied).sort()).toEqual(idsOf(events).sort()))
    await eventually(async () => expect(await engine.unfinished(name)).toBe(0))
  })

  it('takes an event whose other fields hold NUL and half characters', async () => {
    const name = aQueueName()
    const { deliver } = aReceiver({ queue: engine.queue(name) })
    const { receiver, applied } = aReceiver()
    const event = anEvent({ kind: 'note.updated' })
    const odd = { transcript_status: 'a\0b', 'key\0': ['\ud83d', '\\u0000', '\ud83d\ude00'] }
    expect((await deliver({ ...event, data: { ...event.data, ...odd } })).status).toBe(204)
    await using _worker = await engine.worker(name, receiver)
    await eventually(async () => expect(idsOf(applied)).toEqual([event.event_id]))
    expect(JSON.stringify(applied)).toContain(JSON.stringify(['\\u0000', '\ud83d\ude00']).slice(1, -1))
  })

  it('queues an event once, however often it is delivered', async () => {
    const name = aQueueName()
    const { deliver } = aReceiver({ queue: engine.queue(name) })
    const event = anEvent({ kind: 'note.updated' })
    const responses = await Promise.all([deliver(event), deliver(event), deliver(event)])
    expect(responses.map(({ status }) => status)).toEqual([204, 204, 204])
    expect(await engine.unfinished(name)).toBe(1)
  })

  it('processes an event again that was forgotten, when it is replayed', async () => {
    const name = aQueueName()
    const { receiver, applied, deliver } = aReceiver({ queue: engine.queue(name) })
    await using _worker = await engine.worker(name, receiver)
    const event = anEvent({ kind: 'note.updated', eventId: '12:34' })
    await deliver(event)
    await eventually(async () => expect(applied.length).toBe(1))
    await receiver.forget(event.event_id)
    await eventually(async () => expect(await engine.unfinished(name)).toBe(0))
    await deliver(event)
    await eventually(async () => expect(applied.length).toBe(2))
  })

  it('tries a failing event again, and makes a dead letter of it, which can be replayed', async () => {
    const name = aQueueName()
    const queue = engine.queue(name, 2)
    const { receiver, applied, deliver, failing } = aReceiver({ queue })
    failing.add('note_1')
    await using _worker = await engine.worker(name, receiver)
    const event = anEvent({ kind: 'note.updated' })
    await deliver(event)
    await eventually(async () => expect(await queue.listDeadLetters()).toHaveLength(1))
    expect(failing.attempts).toBe(2)

    const letters = await queue.listDeadLetters()
    expect(letters).toEqual([
      {
        id: expect.any(String),
        integration: 'default',
        event,
        reason: expect.stringMatching(/^the handler failed: RangeError ERR_NOTE\./),
        failedAt: expect.any(Date),
      },
    ])
    failing.delete('note_1')
    expect(await queue.replayDeadLetters(letters)).toBe(1)
    await eventually(async () => expect(applied).toEqual([event]))
    expect(await queue.listDeadLetters()).toEqual([])
    expect(await queue.replayDeadLetters(letters)).toBe(0)
  })

  it('runs an event again that had failed for good, when it returns', async () => {
    const name = aQueueName()
    const queue = engine.queue(name, 1)
    const { receiver, applied, deliver, failing } = aReceiver({ queue })
    failing.add('note_1')
    await using _worker = await engine.worker(name, receiver)
    const event = anEvent({ kind: 'note.updated' })
    await deliver(event)
    await eventually(async () => expect(await queue.listDeadLetters()).toHaveLength(1))
    failing.delete('note_1')
    expect((await deliver(event)).status).toBe(204)
    await eventually(async () => expect(applied).toEqual([event]))
  })

  it('spends no attempt on an event that waits for another of its note', async () => {
    const name = aQueueName()
    const queue = engine.queue(name, 1)
    const held = heldHandler()
    const { receiver, outcomes, deliver } = aReceiver({
      queue,
      on: { 'note.ended': held.handle, 'note.updated': noop },
    })
    await using _worker = await engine.worker(name, receiver)
    await deliver(anEvent({ kind: 'note.ended', revision: 1 }))
    await held.begun
    await deliver(anEvent({ kind: 'note.updated', revision: 2 }))
    await eventually(async () => expect(statusesOf(outcomes)).toEqual(['busy', 'busy']))
    held.end()
    await eventually(async () => expect(statusesOf(outcomes).sort()).toEqual(['applied', 'applied', 'busy', 'busy']))
    expect(await queue.listDeadLetters()).toEqual([])
  })

  it('leaves an event that comes again later the attempts that it had', async () => {
    const name = aQueueName()
    const queue = engine.queue(name, 2)
    const toCome = ['busy', 'failed', 'busy', 'failed', 'applied'] as const
    const had: string[] = []
    const process = async (event: WebhookEvent): Promise<ProcessOutcome> => {
      const status = toCome[had.length] ?? 'applied'
      had.push(status)
      return status === 'failed' ? { status, event, error: new Error('as asked for') } : { status, event }
    }
    await using _worker = await engine.worker(name, { integration: 'default', process })
    await queue.enqueue('default', anEvent({ kind: 'note.updated' }))
    await eventually(async () => expect(await queue.listDeadLetters()).toHaveLength(1))
    expect(had).toEqual(['busy', 'failed', 'busy', 'failed'])
  })

  it('spends no attempt while the store does not answer', async () => {
    const name = aQueueName()
    const queue = engine.queue(name, 1)
    const store = storeWith(memoryStore(), { claim: () => Promise.reject(new Error('away')) })
    const { receiver, outcomes, deliver } = aReceiver({ queue, store })
    await using _worker = await engine.worker(name, receiver)
    await deliver(anEvent({ kind: 'note.updated' }))
    await eventually(async () => expect(statusesOf(outcomes)).toEqual(['store-failed']))
    await eventually(async () => expect(await engine.postponed(name)).toBe(1))
    expect(await queue.listDeadLetters()).toEqual([])
  })

  it('keeps events of another integration from a receiver', async () => {
    const name = aQueueName()
    const queue = engine.queue(name, 1)
    const { receiver, applied } = aReceiver({ integration: 'ours' })
    await using _worker = await engine.worker(name, receiver)
    await queue.enqueue('theirs', anEvent({ kind: 'note.updated' }))
    await eventually(async () => expect(await queue.listDeadLetters()).toHaveLength(1))
    const [letter] = await queue.listDeadLetters()
    expect(letter?.reason).toMatch(/^the integration of the job is not "ours"/)
    expect(applied).toEqual([])
  })

  it('serves all integrations of a receiver of many, whose events and notes have the same ids', async () => {
    const name = aQueueName()
    const queue = engine.queue(name, 1)
    const handled: string[] = []
    const many = createReceiver({
      secret: (integration) => secretOf(integration),
      queue,
      store: engine.store,
      on: {
        'note.updated': (_event, { integration }) => {
          if (integration === 'failing') throw new RangeError('as asked for')
          handled.push(integration)
        },
      },
      logger: recordingLogger(),
    })
    const event = anEvent({ kind: 'note.updated' })
    for (const integration of ['acme', 'globex', 'acme', 'failing']) {
      const request = new Request('https://receiver.test/hooks', {
        method: 'POST',
        ...(await signAttempt(secretOf(integration), event)),
      })
      expect((await many.for(integration).fetch(request)).status).toBe(204)
    }
    await using _worker = await engine.worker(name, many)
    await eventually(async () => expect(handled.toSorted()).toEqual(['acme', 'globex']))
    await eventually(async () =>
      expect(await queue.listDeadLetters()).toMatchObject([{ integration: 'failing', event }]),
    )
  })

  it('ends what runs when it is closed, and takes nothing more', async () => {
    const name = aQueueName()
    const held = heldHandler()
    const { receiver, outcomes, deliver } = aReceiver({
      queue: engine.queue(name),
      on: { 'note.updated': held.handle },
    })
    const worker = await engine.worker(name, receiver)
    await deliver(anEvent({ kind: 'note.updated', noteId: 'note_1' }))
    await held.begun
    let closed = false
    const closing = worker.close().then(() => {
      closed = true
    })
    await sleep(200)
    await deliver(anEvent({ kind: 'note.updated', noteId: 'note_2' }))
    await sleep(200)
    expect(closed).toBe(false)
    held.end()
    await closing
    expect(statusesOf(outcomes)).toEqual(['applied'])
    await eventually(async () => expect(await engine.unfinished(name)).toBe(1))
  })

  it('spends no attempt on events whose handlers the receiver stops or leaves when it closes', async () => {
    const name = aQueueName()
    const queue = engine.queue(name, 1)
    const begun = { 'note.ended': Promise.withResolvers<void>(), 'note.updated': Promise.withResolvers<void>() }
    const { receiver, outcomes, deliver } = aReceiver({
      queue,
      store: engine.store,
      integration: name,
      on: {
        'note.ended': (_event, { signal }) => {
          begun['note.ended'].resolve()
          return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        },
        'note.updated': () => {
          begun['note.updated'].resolve()
          return new Promise(() => undefined)
        },
      },
    })
    const worker = await engine.worker(name, receiver)
    const events = [
      anEvent({ kind: 'note.ended', noteId: 'note_1' }),
      anEvent({ kind: 'note.updated', noteId: 'note_2' }),
    ]
    for (const event of events) await deliver(event)
    await Promise.all([begun['note.ended'].promise, begun['note.updated'].promise])
    const [left] = await Promise.all([receiver.close({ graceMs: 200 }), worker.close()])
    expect(left).toBe(1)
    expect(statusesOf(outcomes)).toEqual(['closing', 'closing'])
    expect(await engine.postponed(name)).toBe(2)
    expect(await queue.listDeadLetters()).toEqual([])

    const other = aReceiver({
      store: engine.store,
      integration: name,
      on: { 'note.ended': noop, 'note.updated': noop },
    })
    await using _worker = await engine.worker(name, other.receiver)
    await eventually(async () => expect(statusesOf(other.outcomes)).toEqual(['applied', 'applied']))
  })

  it('spends an attempt on an event whose handler does not settle, and runs others', async () => {
    const name = aQueueName()
    const queue = engine.queue(name, 1)
    const { receiver, outcomes, deliver } = aReceiver({
      queue,
      handlerTimeoutMs: 300,
      on: { 'note.ended': () => new Promise(() => undefined), 'note.updated': noop },
    })
    await using _worker = await engine.worker(name, receiver)
    const event = anEvent({ kind: 'note.ended', revision: 1 })
    await deliver(event)
    await eventually(async () => expect(await queue.listDeadLetters()).toHaveLength(1))
    expect(await queue.listDeadLetters()).toMatchObject([
      { event, reason: expect.stringMatching(/^the handler took longer than handlerTimeoutMs/) },
    ])
    await deliver(anEvent({ kind: 'note.updated', revision: 2 }))
    await eventually(async () => expect(statusesOf(outcomes)).toEqual(['handler-timeout', 'applied']))
  })

  it('holds the event alone: no header, no secret, no word of the error', async () => {
    const name = aQueueName()
    const queue = engine.queue(name, 1)
    const { receiver, deliver, failing } = aReceiver({ queue })
    failing.add('note_1')
    await deliver(anEvent({ kind: 'note.updated' }))
    const before = await engine.everythingIn(name)
    await using _worker = await engine.worker(name, receiver)
    await eventually(async () => expect(await queue.listDeadLetters()).toHaveLength(1))
    for (const text of [before, await engine.everythingIn(name)]) {
      expect(text).toContain('note.updated')
      expect(text).not.toMatch(/webhook-signature|webhook-id|msg_|v1,|whsec_|content of the note/)
    }
  })

  it('still has an event whose receiver was killed after its answer', async () => {
    const name = aQueueName()
    await using web = startQueueProcess('web', engineName, server.url, name)
    const event = anEvent({ kind: 'note.updated' })
    const url = `http://127.0.0.1:${await web.line()}/`
    const { status } = await fetch(url, { method: 'POST', ...(await signAttempt(TEST_SECRET, event)) })
    await web.kill()
    expect(status).toBe(204)
    const { receiver, applied } = aReceiver()
    await using _worker = await engine.worker(name, receiver)
    await eventually(async () => expect(applied).toEqual([event]))
  })

  it('loses none of 500 events, shuffled and delivered twice, over two workers', async () => {
    const name = aQueueName()
    const { deliver } = aReceiver({ integration: name, queue: engine.queue(name) })
    const applied: NoteEvent[] = []
    const apply = async (event: NoteEvent) => {
      await sleep(Math.random() * 5)
      applied.push(event)
    }
    const workers = [1, 2].map(() =>
      aReceiver({ integration: name, store: engine.store, on: { 'note.updated': apply } }),
    )
    const events = Array.from({ length: 500 }, (_, index) =>
      anEvent({ kind: 'note.updated', noteId: `note_${index % 25}`, revision: 1 + Math.floor(index / 25) }),
    )
    const running = await Promise.all(workers.map(({ receiver }) => engine.worker(name, receiver)))
    const deliveries = shuffled([...events, ...events])
    for (let at = 0; at < deliveries.length; at += 50) {
      const responses = await Promise.all(deliveries.slice(at, at + 50).map(deliver))
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([204]))
    }
    await eventually(async () => expect(await engine.unfinished(name)).toBe(0))
    await Promise.all(running.map((worker) => worker.close()))

    const outcomes = workers.flatMap((worker) => worker.outcomes)
    const settled = outcomes.filter(({ status }) => ['applied', 'stale', 'duplicate'].includes(status))
    expect(new Set(idsOf(settled.map(({ event }) => event)))).toEqual(new Set(idsOf(events)))
    expect(new Set(idsOf(applied)).size).toBe(applied.length)
    for (const [note, revisions] of revisionsByNote(applied)) {
      expect(revisions, note).toEqual(revisions.toSorted((one, other) => one - other))
      expect(revisions.at(-1), note).toBe(20)
    }
    expect(await engine.queue(name).listDeadLetters()).toEqual([])
  })

  it('keeps an event that was acknowledged when the server crashes', async () => {
    await using mortal = await startServer()
    await using mortalEngine = await openEngine(engineName, mortal.url)
    const { deliver } = aReceiver({ queue: mortalEngine.queue('events') })
    const event = anEvent({ kind: 'note.updated' })
    expect((await deliver(event)).status).toBe(204)
    await mortal.crashAndRestart()
    const { receiver, applied } = aReceiver()
    await using _worker = await mortalEngine.worker('events', receiver)
    await eventually(async () => expect(applied).toEqual([event]))
  })

  it('acknowledges nothing while the server is away', async () => {
    await using mortal = await startServer()
    await using mortalEngine = await openEngine(engineName, mortal.url)
    const { deliver } = aReceiver({ queue: mortalEngine.queue('events') })
    expect((await deliver(anEvent({ kind: 'note.updated' }))).status).toBe(204)
    await mortal.stop()
    const response = await deliver(anEvent({ kind: 'note.updated' }))
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('30')
  })
})

function eventually(check: () => Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: 100_000, interval: 100 })
}
const noop = () => undefined

interface Failing extends Set<string> {
  attempts: number
}

/** A receiver whose handler fails on the notes that are `failing`. */
function aReceiver(options: Partial<ReceiverOptions> = {}) {
  const applied: WebhookEvent[] = []
  const outcomes: ProcessOutcome[] = []
  const failing: Failing = Object.assign(new Set<string>(), { attempts: 0 })
  const handle = async (event: NoteEvent) => {
    await sleep(1)
    if (failing.has(event.data.note_id)) {
      failing.attempts += 1
      throw Object.assign(new RangeError('content of the note'), { code: 'ERR_NOTE' })
    }
    applied.push(event)
  }
  const receiver = createReceiver({
    secret: TEST_SECRET,
    on: { 'note.updated': handle },
    logger: recordingLogger(),
    hooks: { onOutcome: (outcome) => outcomes.push(outcome) },
    ...options,
  })
  const deliver = async (event: object) =>
    await receiver.fetch(
      new Request('https://receiver.test/hooks', { method: 'POST', ...(await signAttempt(TEST_SECRET, event)) }),
    )
  return { receiver, applied, outcomes, failing, deliver }
}

function idsOf(events: readonly WebhookEvent[]): string[] {
  return events.map(({ event_id }) => event_id)
}

function statusesOf(outcomes: readonly ProcessOutcome[]): string[] {
  return outcomes.map(({ status }) => status)
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  const [order = []] = fc.sample(fc.shuffledSubarray([...items], { minLength: items.length }), 1)
  return order
}

function revisionsByNote(events: readonly NoteEvent[]): Map<string, number[]> {
  const revisions = new Map<string, number[]>()
  for (const { data } of events) revisions.set(data.note_id, [...(revisions.get(data.note_id) ?? []), data.revision])
  return revisions
}
