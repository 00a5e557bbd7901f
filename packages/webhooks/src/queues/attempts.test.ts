import type { WebhookEvent } from '@notewire/protocol'
import { expect, it } from 'vitest'
import { heldHandler } from '../fixtures/held-handler.ts'
import { storeWith } from '../fixtures/store-with.ts'
import type { ProcessOutcome } from '../processing/outcome.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { anEvent } from '../testing/an-event.ts'
import { aReceiver, eventually, onEachEngine, statusesOf } from './fixtures/on-each-engine.ts'

const noop = () => undefined
const never = () => new Promise<void>(() => undefined)

onEachEngine('a failed attempt', (setUp) => {
  it('is repeated, until the event becomes a dead letter, which can be replayed', async () => {
    const { queue, startWorker } = setUp({ attempts: 2 })
    const { receiver, applied, deliver, failing } = aReceiver({ queue })
    failing.add('note_1')
    await using _worker = await startWorker(receiver)
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

  it('that made a dead letter is followed by another when the service sends the event again', async () => {
    const { queue, startWorker } = setUp({ attempts: 1 })
    const { receiver, outcomes, deliver, failing } = aReceiver({ queue })
    failing.add('note_1')
    await using _worker = await startWorker(receiver)
    const event = anEvent({ kind: 'note.updated' })
    await deliver(event)
    await eventually(async () => expect(await queue.listDeadLetters()).toHaveLength(1))
    failing.delete('note_1')
    expect((await deliver(event)).status).toBe(204)
    await eventually(async () => expect(statusesOf(outcomes)).toEqual(['failed', 'applied']))
    expect(await queue.replayDeadLetters(await queue.listDeadLetters())).toBe(1)
    await eventually(async () => expect(statusesOf(outcomes)).toEqual(['failed', 'applied', 'duplicate']))
    expect(await queue.listDeadLetters()).toEqual([])
  })

  it('is counted if the handler times out, and the worker runs other events', async () => {
    const { queue, startWorker } = setUp({ attempts: 1 })
    const { receiver, outcomes, deliver } = aReceiver({
      queue,
      handlerTimeoutMs: 300,
      on: { 'note.ended': never, 'note.updated': noop },
    })
    await using _worker = await startWorker(receiver)
    const event = anEvent({ kind: 'note.ended', revision: 1 })
    await deliver(event)
    await eventually(async () => expect(await queue.listDeadLetters()).toHaveLength(1))
    expect(await queue.listDeadLetters()).toMatchObject([
      { event, reason: expect.stringMatching(/^the handler took longer than handlerTimeoutMs/) },
    ])
    await deliver(anEvent({ kind: 'note.updated', revision: 2 }))
    await eventually(async () => expect(statusesOf(outcomes)).toEqual(['handler-timeout', 'applied']))
  })
})

onEachEngine('a postponed job', (setUp) => {
  it('uses no attempt while another event of its note is processed', async () => {
    const { queue, startWorker } = setUp({ attempts: 1 })
    const held = heldHandler()
    const { receiver, outcomes, deliver } = aReceiver({
      queue,
      on: { 'note.ended': held.handle, 'note.updated': noop },
    })
    await using _worker = await startWorker(receiver)
    await deliver(anEvent({ kind: 'note.ended', revision: 1 }))
    await held.begun
    await deliver(anEvent({ kind: 'note.updated', revision: 2 }))
    await eventually(async () => expect(statusesOf(outcomes)).toEqual(['busy', 'busy']))
    held.end()
    await eventually(async () => expect(statusesOf(outcomes).sort()).toEqual(['applied', 'applied', 'busy', 'busy']))
    expect(await queue.listDeadLetters()).toEqual([])
  })

  it('keeps the number of its failed attempts', async () => {
    const { queue, startWorker } = setUp({ attempts: 2 })
    const planned = ['busy', 'failed', 'busy', 'failed', 'applied'] as const
    const returned: string[] = []
    const process = async (event: WebhookEvent): Promise<ProcessOutcome> => {
      const status = planned[returned.length] ?? 'applied'
      returned.push(status)
      return status === 'failed' ? { status, event, error: new Error('as the test requires') } : { status, event }
    }
    await using _worker = await startWorker({ integration: 'default', process })
    await queue.enqueue('default', anEvent({ kind: 'note.updated' }))
    await eventually(async () => expect(await queue.listDeadLetters()).toHaveLength(1))
    expect(returned).toEqual(['busy', 'failed', 'busy', 'failed'])
  })

  it('uses no attempt while the store fails', async () => {
    const { engine, name, queue, startWorker } = setUp({ attempts: 1 })
    const store = storeWith(memoryStore(), { claim: () => Promise.reject(new Error('away')) })
    const { receiver, outcomes, deliver } = aReceiver({ queue, store })
    await using _worker = await startWorker(receiver)
    await deliver(anEvent({ kind: 'note.updated' }))
    await eventually(async () => expect(statusesOf(outcomes)).toEqual(['store-failed']))
    await eventually(async () => expect(await engine.postponed(name)).toBe(1))
    expect(await queue.listDeadLetters()).toEqual([])
  })

  it('uses no attempt if the receiver closes and stops or abandons its handler', async () => {
    const { engine, name, queue, startWorker } = setUp({ attempts: 1 })
    const begun = { 'note.ended': Promise.withResolvers<void>(), 'note.updated': Promise.withResolvers<void>() }
    const { receiver, outcomes, deliver } = aReceiver({
      queue,
      store: engine.store,
      integration: name,
      on: {
        'note.ended': (_event, { signal }) => {
          begun['note.ended'].resolve()
          return new Promise<void>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        },
        'note.updated': () => {
          begun['note.updated'].resolve()
          return never()
        },
      },
    })
    const worker = await startWorker(receiver)
    const events = [
      anEvent({ kind: 'note.ended', noteId: 'note_1' }),
      anEvent({ kind: 'note.updated', noteId: 'note_2' }),
    ]
    for (const event of events) await deliver(event)
    await Promise.all([begun['note.ended'].promise, begun['note.updated'].promise])
    const [abandoned] = await Promise.all([receiver.close({ graceMs: 200 }), worker.close()])
    expect(abandoned).toBe(1)
    expect(statusesOf(outcomes)).toEqual(['closing', 'closing'])
    expect(await engine.postponed(name)).toBe(2)
    expect(await queue.listDeadLetters()).toEqual([])

    const other = aReceiver({
      store: engine.store,
      integration: name,
      on: { 'note.ended': noop, 'note.updated': noop },
    })
    await using _worker = await startWorker(other.receiver)
    await eventually(async () => expect(statusesOf(other.outcomes)).toEqual(['applied', 'applied']))
  })
})
