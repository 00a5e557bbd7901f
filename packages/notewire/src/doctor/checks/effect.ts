import { setTimeout as pause } from 'node:timers/promises'
import { CommandError } from '../../errors/failure.ts'
import { failed, group, must, notTested, type Outcome, passed, type RunCheck } from '../check.ts'
import { strangerSigner, type TestEvent, testEvent, testId } from '../delivery.ts'
import type { Effects, Examination } from '../examination.ts'
import { type Exchange, isAccepted } from '../send.ts'

const DUPLICATES = '§6, delivery semantics 1'
const ORDER = '§6, delivery semantics 2'
const REPLAYS = `${DUPLICATES}; open point 19`

const STORE_EVENT_IDS =
  'Store event_id under a unique key in the transaction that applies the event, for more than 27 h. A list in memory is lost at a restart and is not shared between processes.'

/** It may also apply the event later, or not handle this kind of event. */
const NOT_APPLIED = 'the receiver did not apply a valid note.ended in time'

export const effectChecks = group('Effects', [
  must('effect.once-one-after-another', 'A repeated delivery is applied once', DUPLICATES, {
    fix: STORE_EVENT_IDS,
    run: appliesOnce(async ({ deliver }, body) => {
      const webhookId = testId('attempt')
      await deliver({ body, webhookId })
      return await deliver({ body, webhookId })
    }),
  }),
  must('effect.once-under-other-webhook-ids', 'An event repeated with another webhook-id is applied once', REPLAYS, {
    fix: `Recognize duplicates by event_id, because a replay has a new webhook-id. ${STORE_EVENT_IDS}`,
    run: appliesOnce(async ({ deliver }, body) => {
      await deliver({ body })
      return await deliver({ body })
    }),
  }),
  must('effect.once-at-once', 'An event in five concurrent deliveries is applied once', `${DUPLICATES}; ${ORDER}`, {
    fix: `Do not look up the ID first and store it later. Insert it first (ON CONFLICT DO NOTHING, SET NX), and apply the event only if that stored a row. ${STORE_EVENT_IDS}`,
    run: appliesOnce(async ({ deliver }, body) => {
      const exchanges = await Promise.all(Array.from({ length: 5 }, () => deliver({ body })))
      return exchanges.find(({ reply }) => isAccepted(reply)) ?? (await deliver({ body }))
    }),
  }),
  must('effect.older-revision', 'An event with a lower revision than the last applied one is not applied', ORDER, {
    fix: 'Store the last applied revision of each note, and only write if the new one is higher (UPDATE … WHERE revision < $1).',
    run: withEffects(async (examination) => {
      const note_id = testId('note')
      const newer = await sendAndCount(examination, testEvent('note.ended', { note_id, revision: 7 }), 1)
      if (newer.applied < 1) return notTested(NOT_APPLIED)
      const older = await sendAndCount(examination, testEvent('note.ended', { note_id, revision: 6 }), 0)
      return older.applied === 0 ? passed('not applied') : failed(older.exchange, 'applied revision 6 after revision 7')
    }),
  }),
  must('effect.forged', 'A delivery with a wrong signature is not applied', '§5, receiver rule 6', {
    fix: 'Verify the signature before you do anything else.',
    run: withEffects(async (examination) => {
      const forge: Send = ({ deliver }, body) => deliver({ body, signer: strangerSigner() })
      const { applied, exchange } = await sendAndCount(examination, testEvent('note.ended'), 0, forge)
      return applied === 0 ? passed('not applied') : failed(exchange, `applied ${times(applied)}`)
    }),
  }),
])

type ExaminationWithEffects = Examination & { readonly effects: Effects }

type Send = (examination: Examination, body: string) => Promise<Exchange>

function appliesOnce(repeat: Send): RunCheck {
  return withEffects(async (examination) => {
    const { applied, exchange } = await sendAndCount(examination, testEvent('note.ended'), 1, repeat)
    if (applied === 1) return passed('applied once')
    return applied < 1 ? notTested(NOT_APPLIED) : failed(exchange, `applied ${times(applied)}`)
  })
}

function withEffects(run: (examination: ExaminationWithEffects) => Promise<Outcome>): RunCheck {
  return async (examination) => {
    const { effects } = examination
    if (effects === undefined) {
      return notTested('this needs --effects-url, where the receiver lists the events that it applied')
    }
    try {
      return await run({ ...examination, effects })
    } catch (error) {
      if (error instanceof CommandError) return notTested(error.message)
      throw error
    }
  }
}

/** Sends an event and counts how often the receiver applies it. If once is expected, waits until it was applied. */
async function sendAndCount(
  examination: ExaminationWithEffects,
  event: TestEvent,
  expected: 0 | 1,
  send: Send = ({ deliver }, body) => deliver({ body }),
) {
  const { effects, signal, limits } = examination
  const before = await effects(signal)
  const exchange = await send(examination, JSON.stringify(event))
  const count = async () => (await effects(signal))(event.event_id) - before(event.event_id)
  const giveUpAt = Date.now() + limits.effectWithinMs
  while (expected === 1 && (await count()) < 1 && Date.now() < giveUpAt) await pause(100, undefined, { signal })
  // The receiver may still apply the event, or apply it again.
  await pause(limits.effectsSettleMs, undefined, { signal })
  return { applied: await count(), exchange }
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}
