import { setTimeout as sleep } from 'node:timers/promises'
import { MAX_IDENTIFIER_LENGTH } from '@notewire/protocol'
import { expect, it } from 'vitest'
import { heldHandler } from '../fixtures/held-handler.ts'
import { recordingLogger } from '../fixtures/recording-logger.ts'
import { secretOf } from '../fixtures/secret-of.ts'
import { createReceiver } from '../receiver/receiver.ts'
import { anEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'
import { aReceiver, eventually, idsOf, onEachEngine, statusesOf } from './fixtures/on-each-engine.ts'

onEachEngine('a queue', (setUp) => {
  it('hands events to a worker, which processes each', async () => {
    const { engine, name, queue, startWorker } = setUp()
    const { deliver } = aReceiver({ queue })
    const { receiver, applied } = aReceiver()
    const events = [1, 2, 3].map((note) => anEvent({ kind: 'note.updated', noteId: `note_${note}` }))
    for (const event of events) expect((await deliver(event)).status).toBe(204)
    await using _worker = await startWorker(receiver)
    await eventually(async () => expect(idsOf(applied).sort()).toEqual(idsOf(events).sort()))
    await eventually(async () => expect(await engine.unfinished(name)).toBe(0))
  })

  it('queues an event once, however often the service delivers it', async () => {
    const { engine, name, queue } = setUp()
    const { deliver } = aReceiver({ queue })
    const event = anEvent({ kind: 'note.updated' })
    const responses = await Promise.all([deliver(event), deliver(event), deliver(event)])
    expect(responses.map(({ status }) => status)).toEqual([204, 204, 204])
    expect(await engine.unfinished(name)).toBe(1)
  })

  it('recognises an event by the longest identifiers', async () => {
    const { engine, name, queue } = setUp()
    const event = anEvent({ kind: 'note.updated', eventId: '✓'.repeat(MAX_IDENTIFIER_LENGTH) })
    for (const integration of ['i'.repeat(128), 'i'.repeat(128), 'i'.repeat(127)])
      await queue.enqueue(integration, event)
    expect(await engine.unfinished(name)).toBe(2)
  })

  it('processes a forgotten event again when the service replays it', async () => {
    const { engine, name, queue, startWorker } = setUp()
    const { receiver, applied, deliver } = aReceiver({ queue })
    await using _worker = await startWorker(receiver)
    const event = anEvent({ kind: 'note.updated', eventId: '12:34' })
    await deliver(event)
    await eventually(async () => expect(applied.length).toBe(1))
    await receiver.forget(event.event_id)
    await eventually(async () => expect(await engine.unfinished(name)).toBe(0))
    await deliver(event)
    await eventually(async () => expect(applied.length).toBe(2))
  })

  it('never passes an event of another integration to the receiver', async () => {
    const { queue, startWorker } = setUp({ attempts: 1 })
    const { receiver, applied } = aReceiver({ integration: 'ours' })
    await using _worker = await startWorker(receiver)
    await queue.enqueue('theirs', anEvent({ kind: 'note.updated' }))
    await eventually(async () => expect(await queue.listDeadLetters()).toHaveLength(1))
    const [letter] = await queue.listDeadLetters()
    expect(letter?.reason).toMatch(/^the integration of the job is not "ours"/)
    expect(applied).toEqual([])
  })

  it('serves all integrations of a receiver of many, whose events and notes have the same ids', async () => {
    const { engine, queue, startWorker } = setUp({ attempts: 1 })
    const handled: string[] = []
    const many = createReceiver({
      secret: (integration) => secretOf(integration),
      queue,
      store: engine.store,
      on: {
        'note.updated': (_event, { integration }) => {
          if (integration === 'failing') throw new RangeError('as the test requires')
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
    await using _worker = await startWorker(many)
    await eventually(async () => expect(handled.toSorted()).toEqual(['acme', 'globex']))
    await eventually(async () =>
      expect(await queue.listDeadLetters()).toMatchObject([{ integration: 'failing', event }]),
    )
  })

  it('finishes running jobs when its worker is closed, and starts no other', async () => {
    const { engine, name, queue, startWorker } = setUp()
    const held = heldHandler()
    const { receiver, outcomes, deliver } = aReceiver({ queue, on: { 'note.updated': held.handle } })
    const worker = await startWorker(receiver)
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

  it('stores only the event: no header, no secret, no error message', async () => {
    const { engine, name, queue, startWorker } = setUp({ attempts: 1 })
    const { receiver, deliver, failing } = aReceiver({ queue })
    failing.add('note_1')
    await deliver(anEvent({ kind: 'note.updated' }))
    const before = await engine.everythingIn(name)
    await using _worker = await startWorker(receiver)
    await eventually(async () => expect(await queue.listDeadLetters()).toHaveLength(1))
    for (const text of [before, await engine.everythingIn(name)]) {
      expect(text).toContain('note.updated')
      expect(text).not.toMatch(/webhook-signature|webhook-id|msg_|v1,|whsec_|content of the note/)
    }
  })
})
