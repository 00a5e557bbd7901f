import { setTimeout as sleep } from 'node:timers/promises'
import type { NoteEvent } from '@notewire/protocol'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { TEST_SECRET } from '../fixtures/secrets.ts'
import { anEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'
import { openEngine } from './fixtures/engine.ts'
import { aReceiver, eventually, idsOf, onEachEngine } from './fixtures/on-each-engine.ts'
import { startQueueProcess } from './fixtures/start-queue-process.ts'

onEachEngine('an acknowledged event', (setUp) => {
  it('goes to another worker if its worker is killed', async () => {
    const { engine, engineName, name, queue, startWorker, url } = setUp()
    const event = anEvent({ kind: 'note.updated' })
    await queue.enqueue('default', event)
    await using killed = startQueueProcess('worker', engineName, url, name)
    expect(await killed.line()).toBe(event.event_id)
    const { receiver, applied } = aReceiver({ store: engine.store })
    await using _worker = await startWorker(receiver)
    await killed.kill()
    await eventually(async () => expect(applied).toEqual([event]))
  })

  it('is processed although the receiver that acknowledged it was killed', async () => {
    const { engineName, name, startWorker, url } = setUp()
    await using web = startQueueProcess('web', engineName, url, name)
    const event = anEvent({ kind: 'note.updated' })
    const address = `http://127.0.0.1:${await web.line()}/`
    const { status } = await fetch(address, { method: 'POST', ...(await signAttempt(TEST_SECRET, event)) })
    await web.kill()
    expect(status).toBe(204)
    const { receiver, applied } = aReceiver()
    await using _worker = await startWorker(receiver)
    await eventually(async () => expect(applied).toEqual([event]))
  })

  it('is never lost: 500 events, shuffled and delivered twice, over two workers', async () => {
    const { engine, name, queue, startWorker } = setUp()
    const { deliver } = aReceiver({ integration: name, queue })
    const applied: NoteEvent[] = []
    const apply = async (event: NoteEvent) => {
      await sleep(Math.random() * 5)
      applied.push(event)
    }
    const receivers = [1, 2].map(() =>
      aReceiver({ integration: name, store: engine.store, on: { 'note.updated': apply } }),
    )
    const events = Array.from({ length: 500 }, (_, index) =>
      anEvent({ kind: 'note.updated', noteId: `note_${index % 25}`, revision: 1 + Math.floor(index / 25) }),
    )
    const workers = await Promise.all(receivers.map(({ receiver }) => startWorker(receiver)))
    const deliveries = shuffled([...events, ...events])
    for (let at = 0; at < deliveries.length; at += 50) {
      const responses = await Promise.all(deliveries.slice(at, at + 50).map(deliver))
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([204]))
    }
    await eventually(async () => expect(await engine.unfinished(name)).toBe(0))
    await Promise.all(workers.map((worker) => worker.close()))

    const outcomes = receivers.flatMap((each) => each.outcomes)
    const processed = outcomes.filter(({ status }) => ['applied', 'stale', 'duplicate'].includes(status))
    expect(new Set(idsOf(processed.map(({ event }) => event)))).toEqual(new Set(idsOf(events)))
    expect(new Set(idsOf(applied)).size).toBe(applied.length)
    for (const [note, ofNote] of Map.groupBy(applied, ({ data }) => data.note_id)) {
      const revisions = ofNote.map(({ data }) => data.revision ?? 0)
      expect(revisions, note).toEqual(revisions.toSorted((one, other) => one - other))
      expect(revisions.at(-1), note).toBe(20)
    }
    expect(await queue.listDeadLetters()).toEqual([])
  })

  it('survives a crash of the server', async () => {
    const { engineName, startServer } = setUp()
    await using server = await startServer()
    await using engine = await openEngine(engineName, server.url)
    const { deliver } = aReceiver({ queue: engine.queue('events') })
    const event = anEvent({ kind: 'note.updated' })
    expect((await deliver(event)).status).toBe(204)
    await server.crashAndRestart()
    const { receiver, applied } = aReceiver()
    await using _worker = await engine.worker('events', receiver)
    await eventually(async () => expect(applied).toEqual([event]))
  })
})

onEachEngine('a receiver with a queue', (setUp) => {
  it('answers 503 while the server is down', async () => {
    const { engineName, startServer } = setUp()
    await using server = await startServer()
    await using engine = await openEngine(engineName, server.url)
    const { deliver } = aReceiver({ queue: engine.queue('events') })
    expect((await deliver(anEvent({ kind: 'note.updated' }))).status).toBe(204)
    await server.stop()
    const response = await deliver(anEvent({ kind: 'note.updated' }))
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('30')
  })
})

function shuffled<Item>(items: readonly Item[]): Item[] {
  const [order = []] = fc.sample(fc.shuffledSubarray([...items], { minLength: items.length }), 1)
  return order
}
