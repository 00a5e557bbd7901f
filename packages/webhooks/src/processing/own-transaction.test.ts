import { describe, expect, it } from 'vitest'
import { ManualClock } from '../fixtures/manual-clock.ts'
import { recordingLogger } from '../fixtures/recording-logger.ts'
import { TEST_SECRET } from '../fixtures/secrets.ts'
import { storeWith } from '../fixtures/store-with.ts'
import type { ReceiverStore } from '../interfaces/store.ts'
import { createReceiver } from '../receiver/receiver.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { anEvent } from '../testing/an-event.ts'
import type { EventHandler, HandlerContext } from './handlers.ts'

/** What happens when it commits; nothing, when it is rolled back. */
class Transaction {
  readonly #work: (() => Promise<unknown>)[] = []

  add(work: () => Promise<unknown>): void {
    this.#work.push(work)
  }

  async commit(): Promise<void> {
    for (const work of this.#work) await work()
  }
}

/** A receiver on a store whose marks are made in transactions of the handler's own. */
function setUp(
  handler: EventHandler<unknown, HandlerContext<Transaction>>,
  ways: Partial<ReceiverStore<Transaction>> = {},
) {
  const clock = new ManualClock()
  const memory = memoryStore({ clock })
  const calls: string[] = []
  const store: ReceiverStore<Transaction> = {
    ...storeWith(memory, {
      renew: (claim, leaseMs) => {
        calls.push('renew')
        return memory.renew(claim, leaseMs)
      },
      commit: (claim) => {
        calls.push('commit')
        return memory.commit(claim)
      },
    }),
    commitIn: async (transaction, claim) => {
      calls.push('commitIn')
      if ((await memory.renew(claim, 20_000)) === 'lost') return 'lost'
      transaction.add(async () => await memory.commit(claim))
      return 'committed'
    },
    ...ways,
  }
  const logger = recordingLogger()
  const receiver = createReceiver({ secret: TEST_SECRET, on: { 'note.ended': handler }, store, clock, logger })
  return { calls, clock, memory, receiver }
}

describe('a handler that marks the event in its own transaction', () => {
  it('has it applied with its rows, and not marked once more', async () => {
    const rows: string[] = []
    const { calls, receiver } = setUp(async (_event, { commit }) => {
      const transaction = new Transaction()
      transaction.add(async () => rows.push('a row'))
      await commit(transaction)
      await transaction.commit()
    })
    const event = anEvent({ kind: 'note.ended' })
    expect((await receiver.process(event)).status).toBe('applied')
    expect(rows).toEqual(['a row'])
    expect(calls).not.toContain('commit')
    expect((await receiver.process(event)).status).toBe('duplicate')
  })

  it('and returns without committing it has failed, and the event can come again at once', async () => {
    let commits = false
    const { receiver } = setUp(async (_event, { commit }) => {
      const transaction = new Transaction()
      await commit(transaction)
      if (commits) await transaction.commit()
    })
    const event = anEvent({ kind: 'note.ended' })
    expect(await receiver.process(event)).toMatchObject({
      status: 'failed',
      error: {
        code: 'transaction_not_committed',
        message: expect.stringMatching(/Commit the transaction before the handler returns/),
      },
    })
    commits = true
    expect((await receiver.process(event)).status).toBe('applied')
  })

  it('and returns without committing it has failed, also when its note was taken over meanwhile', async () => {
    const { clock, memory, receiver } = setUp(async (_event, { commit }) => {
      await commit(new Transaction())
      await clock.sleep(30_000)
      const change = { kind: 'note.updated', revision: 1 } as const
      const heir = {
        integration: 'default',
        eventId: 'another',
        note: { noteId: 'note_1', change },
        gate: 'off',
      } as const
      expect((await memory.claim({ ...heir, leaseMs: 20_000, keepMs: 1 })).status).toBe('claimed')
    })
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await clock.advance(30_000)
    expect(await outcome).toMatchObject({ status: 'failed', error: { code: 'transaction_not_committed' } })
  })

  it('and swallows that its claim was lost has failed', async () => {
    const { receiver } = setUp((_event, { commit }) => commit(new Transaction()).catch(() => undefined), {
      commitIn: () => Promise.resolve('lost'),
      renew: () => Promise.resolve('lost'),
    })
    expect((await receiver.process(anEvent({ kind: 'note.ended' }))).status).toBe('failed')
  })

  it('and then fails has failed, and the event can come again at once', async () => {
    const { memory, receiver } = setUp(async (_event, { commit }) => {
      await commit(new Transaction())
      throw new Error('the database said no')
    })
    const event = anEvent({ kind: 'note.ended' })
    expect((await receiver.process(event)).status).toBe('failed')
    const again = await memory.claim({
      integration: 'default',
      eventId: event.event_id,
      gate: 'off',
      leaseMs: 1,
      keepMs: 1,
    })
    expect(again.status).toBe('claimed')
  })

  it('is told by an error that its claim was lost, so that it rolls back', async () => {
    const errors: unknown[] = []
    const handler: EventHandler<unknown, HandlerContext<Transaction>> = async (_event, { commit }) => {
      await commit(new Transaction()).catch((error) => {
        errors.push(error)
        throw error
      })
    }
    const { receiver } = setUp(handler, { commitIn: () => Promise.resolve('lost') })
    expect((await receiver.process(anEvent({ kind: 'note.ended' }))).status).toBe('claim-lost')
    expect(errors).toMatchObject([{ code: 'claim_lost', message: expect.stringMatching(/roll back the transaction/) }])
  })

  it('has its claim renewed until then, and not while the transaction holds it', async () => {
    const { calls, clock, receiver } = setUp(async (_event, { commit }) => {
      await clock.sleep(7_000)
      const transaction = new Transaction()
      await commit(transaction)
      await clock.sleep(7_000)
      await transaction.commit()
    })
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await clock.advance(20_000)
    expect((await outcome).status).toBe('applied')
    expect(calls).toEqual(['renew', 'commitIn'])
  })

  it('and hangs after its transaction was committed has applied the event', async () => {
    const { clock, receiver } = setUp(async (_event, { commit }) => {
      const transaction = new Transaction()
      await commit(transaction)
      await transaction.commit()
      await new Promise(() => undefined)
    })
    const event = anEvent({ kind: 'note.ended' })
    const outcome = receiver.process(event)
    await clock.advance(86_100_000)
    expect((await outcome).status).toBe('applied')
    expect((await receiver.process(event)).status).toBe('duplicate')
  })

  it.each([
    ['while the store answers', Number.POSITIVE_INFINITY],
    ['while its transaction keeps the store from answering', 1],
  ])('and hangs in its transaction is given up %s', async (_what, most) => {
    let answers = 0
    const { clock, memory, receiver } = setUp(
      async (_event, { commit }) => {
        await commit(new Transaction())
        await new Promise(() => undefined)
      },
      { claim: (request) => (++answers > most ? Promise.reject(new Error('locked')) : memory.claim(request)) },
    )
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await clock.advance(0)
    const closed = receiver.close({ graceMs: 0 })
    await clock.advance(0)
    expect(await closed).toBe(1)
    expect((await outcome).status).toBe('closing')
  })

  it('gives back the claim that it got when it asked whether a mark is there that was rolled back', async () => {
    const { clock, memory, receiver } = setUp(async (_event, { commit }) => {
      await commit(new Transaction())
      // Longer than the lease, which is renewed no more.
      await clock.sleep(30_000)
    })
    const event = anEvent({ kind: 'note.ended' })
    const outcome = receiver.process(event)
    await clock.advance(30_000)
    expect((await outcome).status).toBe('failed')
    const again = await memory.claim({
      integration: 'default',
      eventId: event.event_id,
      gate: 'off',
      leaseMs: 1,
      keepMs: 1,
    })
    expect(again.status).toBe('claimed')
  })

  it('cannot mark it once its claim was given up: after handlerTimeoutMs, and after close', async () => {
    const errors: unknown[] = []
    const resume = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let runs = 0
    const { calls, clock, receiver } = setUp(async (_event, { commit }) => {
      await resume[runs++]?.promise
      try {
        await commit(new Transaction())
      } catch (error) {
        errors.push(error)
      }
    })
    const event = anEvent({ kind: 'note.ended' })
    const first = receiver.process(event)
    await clock.advance(86_100_000)
    expect((await first).status).toBe('handler-timeout')
    const second = receiver.process(event)
    await clock.advance(0)
    const closed = receiver.close()
    await clock.advance(10_000)
    expect(await closed).toBe(2)
    expect((await second).status).toBe('closing')
    for (const { resolve } of resume) resolve()
    await clock.advance(0)
    expect(errors).toMatchObject([{ code: 'claim_lost' }, { code: 'claim_lost' }])
    expect(calls).not.toContain('commitIn')
  })

  it('needs a store with transactions, and is told so', async () => {
    const receiver = createReceiver({
      secret: TEST_SECRET,
      on: { 'note.ended': (_event, { commit }) => commit(undefined as never) },
      logger: recordingLogger(),
    })
    expect(await receiver.process(anEvent({ kind: 'note.ended' }))).toMatchObject({
      status: 'failed',
      error: { code: 'option_invalid', message: expect.stringMatching(/needs a store with transactions/) },
    })
  })
})
