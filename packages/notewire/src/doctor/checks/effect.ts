import type { Bench } from '../bench.ts'
import { type CheckGroup, type Examine, held, missed, type Observation, untested } from '../check.ts'
import { appliedOnceSettled, appliedSince, type Effects, EffectsError } from '../effects.ts'
import { madeUpEvent, madeUpId } from '../made-up-event.ts'
import { type Exchange, isAcknowledged, seconds } from '../reply.ts'
import { strangerSigner } from '../signer.ts'

const DUPLICATES = '§6, delivery semantics 1'

const REMEMBER_EVENT_IDS =
  'Remember event_id in the transaction that applies the event, under a unique key, for more than 27 h; memory alone forgets at a restart and is not shared between processes.'

/** What the receiver does, where it tells (contract §6, delivery semantics). */
export const effect: CheckGroup = {
  title: 'Effects',
  checks: [
    {
      id: 'effect.once-one-after-another',
      title: 'An event that comes again is applied once',
      section: DUPLICATES,
      severity: 'must',
      fix: REMEMBER_EVENT_IDS,
      examine: isAppliedOnce(async ({ deliver }, body) => {
        const webhookId = madeUpId('attempt')
        const first = await deliver({ body, webhookId })
        await deliver({ body, webhookId })
        return first
      }),
    },
    {
      id: 'effect.once-under-other-webhook-ids',
      title: 'An event that comes again under another webhook-id is applied once',
      section: `${DUPLICATES}; open point 19`,
      severity: 'must',
      fix: `Tell duplicates by event_id, which is in the body: a replay has a new webhook-id. ${REMEMBER_EVENT_IDS}`,
      examine: isAppliedOnce(async ({ deliver }, body) => {
        const first = await deliver({ body })
        await deliver({ body })
        return first
      }),
    },
    {
      id: 'effect.once-at-once',
      title: 'An event that comes five times at once is applied once',
      section: `${DUPLICATES}; §6, delivery semantics 2`,
      severity: 'must',
      fix: `Looking whether the id is there and writing it afterwards leaves a gap: insert it first (ON CONFLICT DO NOTHING, SET NX) and apply only where that wrote a row. ${REMEMBER_EVENT_IDS}`,
      examine: isAppliedOnce(async ({ deliver }, body) => {
        const exchanges = await Promise.all(Array.from({ length: 5 }, () => deliver({ body })))
        return exchanges.find(({ reply }) => isAcknowledged(reply)) ?? (await deliver({ body }))
      }),
    },
    {
      id: 'effect.older-revision',
      title: 'A revision lower than the last applied one is not applied',
      section: '§6, delivery semantics 2',
      severity: 'must',
      fix: 'Store the last applied revision of each note, and write only where the new one is higher (UPDATE … WHERE revision < $1).',
      examine: withEffects(examineOlderRevision),
    },
    {
      id: 'effect.forged',
      title: 'A delivery that is refused is not applied',
      section: '§5, receiver rule 6',
      severity: 'must',
      fix: 'Verify first, and let nothing happen before.',
      examine: withEffects(async (bench, effects) => {
        const event = madeUpEvent('note.ended')
        const before = await effects.read(bench.signal)
        const forged = await bench.deliver({ body: JSON.stringify(event), signer: strangerSigner() })
        const applied = await appliedOnceSettled(before, event.event_id, { ...bench, effects })
        return applied === 0 ? held('not applied') : missed(forged, `applied ${times(applied)}`)
      }),
    },
  ],
}

async function examineOlderRevision(bench: Bench, effects: Effects): Promise<Observation> {
  const noteId = madeUpId('note')
  const newer = madeUpEvent('note.ended', { noteId, revision: 7 })
  const older = madeUpEvent('note.ended', { noteId, revision: 6 })
  const before = await effects.read(bench.signal)
  await bench.deliver({ body: JSON.stringify(newer) })
  if ((await appliedSince(before, newer.event_id, { ...bench, effects })) < 1) return notSeen(bench)
  const between = await effects.read(bench.signal)
  const late = await bench.deliver({ body: JSON.stringify(older) })
  const applied = await appliedOnceSettled(between, older.event_id, { ...bench, effects })
  return applied === 0 ? held('not applied') : missed(late, 'revision 6 was applied after revision 7')
}

function isAppliedOnce(repeat: (bench: Bench, body: string) => Promise<Exchange>): Examine {
  return withEffects(async (bench, effects) => {
    const event = madeUpEvent('note.ended')
    const before = await effects.read(bench.signal)
    const exchange = await repeat(bench, JSON.stringify(event))
    const applied = await appliedSince(before, event.event_id, { ...bench, effects })
    if (applied === 1) return held('applied once')
    return applied < 1 ? notSeen(bench) : missed(exchange, `applied ${times(applied)}`)
  })
}

function withEffects(examine: (bench: Bench, effects: Effects) => Promise<Observation>): Examine {
  return async (bench) => {
    if (bench.effects === undefined) {
      return untested('only answers were judged; let the receiver tell what it applied, with --effects-url')
    }
    try {
      return await examine(bench, bench.effects)
    } catch (error) {
      if (error instanceof EffectsError) return untested(error.message)
      throw error
    }
  }
}

/** Applied later, or not at all, as the kind is none of the receiver's business. */
function notSeen({ limits }: Bench): Observation {
  return untested(`no effect of a valid note.ended showed within ${seconds(limits.effectWithinMs)}`)
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}
