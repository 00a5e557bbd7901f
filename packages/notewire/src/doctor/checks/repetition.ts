import type { Bench } from '../bench.ts'
import { type CheckGroup, held, missed, type Observation } from '../check.ts'
import { isAccepted } from '../expectations.ts'
import { madeUpEvent, madeUpId } from '../made-up-event.ts'
import { describeExchange, type Exchange, isAcknowledged } from '../reply.ts'

const DUPLICATES = '§6, delivery semantics 1'
const ORDER = '§6, delivery semantics 2'

const ACKNOWLEDGE_DUPLICATES =
  'Answer 2xx to an event that was processed before: whatever else you answer, it is sent again, and counts as a failure.'

const ACKNOWLEDGE_STALE =
  'Answer 2xx to a revision that is equal or lower, and ignore it. An older event that comes late is no error.'

/** Deliveries that come together in {@link repetition}'s check of that. */
const AT_ONCE = 5

/** Events that come more than once, or in another order (contract §6, delivery semantics). */
export const repetition: CheckGroup = {
  title: 'Duplicates and order',
  checks: [
    {
      id: 'repetition.one-after-another',
      title: 'A delivery that is repeated is acknowledged each time',
      section: DUPLICATES,
      severity: 'must',
      fix: ACKNOWLEDGE_DUPLICATES,
      examine: isAccepted(() => {
        const attempt = { body: JSON.stringify(madeUpEvent('note.updated')), webhookId: madeUpId('attempt') }
        return [attempt, attempt, attempt]
      }),
    },
    {
      id: 'repetition.other-webhook-id',
      title: 'An event is acknowledged each time, under another webhook-id at every attempt',
      section: `${DUPLICATES}; open point 19`,
      severity: 'must',
      fix: `${ACKNOWLEDGE_DUPLICATES} Tell duplicates by event_id: webhook-id may change.`,
      presupposes: 'repetition.one-after-another',
      examine: isAccepted(() => {
        const body = JSON.stringify(madeUpEvent('note.updated'))
        return [{ body }, { body }, { body }]
      }),
    },
    {
      id: 'repetition.at-once',
      title: `An event that comes ${AT_ONCE} times at once is acknowledged each time`,
      section: `${DUPLICATES}; §6, delivery semantics 2`,
      severity: 'must',
      fix: 'Let the database decide: INSERT … ON CONFLICT DO NOTHING on event_id, and answer 2xx to whoever comes second. A unique violation must not become a 500.',
      presupposes: 'repetition.one-after-another',
      examine: examineAtOnce,
    },
    {
      id: 'repetition.older-revision',
      title: 'Revisions that come in another order are acknowledged',
      section: ORDER,
      severity: 'must',
      fix: ACKNOWLEDGE_STALE,
      examine: isAccepted(() => {
        const noteId = madeUpId('note')
        return [3, 2, 1, 4].map((revision) => ({
          body: JSON.stringify(madeUpEvent('note.updated', { noteId, revision })),
        }))
      }),
    },
    {
      id: 'repetition.equal-revision',
      title: 'A deletion at the revision of the last update is acknowledged, and so is what comes after it',
      section: `${ORDER}; open point 20`,
      severity: 'must',
      fix: `${ACKNOWLEDGE_STALE} Losing access need not raise the revision: apply a deletion at an equal one.`,
      examine: isAccepted(() => {
        const noteId = madeUpId('note')
        return ['note.updated', 'note.deleted', 'note.updated'].map((kind) => ({
          body: JSON.stringify(madeUpEvent(kind, { noteId, revision: 2 })),
        }))
      }),
    },
  ],
}

async function examineAtOnce({ deliver }: Bench): Promise<Observation> {
  const attempt = { body: JSON.stringify(madeUpEvent('note.updated')), webhookId: madeUpId('attempt') }
  const exchanges = await Promise.all(Array.from({ length: AT_ONCE }, () => deliver(attempt)))
  const refused = exchanges.filter(({ reply }) => !isAcknowledged(reply))
  const [worst] = refused.filter((exchange) => !isBusy(exchange)).concat(refused)
  if (worst === undefined) return held(`all ${AT_ONCE} acknowledged`)
  const seen = `${refused.length} of ${AT_ONCE} not acknowledged: one ${describeExchange(worst)}`
  const cause = 'it comes again later, and would be acknowledged then; but each of these counts as a failed delivery'
  return isBusy(worst) ? missed(worst, seen, { nearly: true, cause }) : missed(worst, seen)
}

/** What is answered on purpose while another delivery of the event is at work. */
function isBusy({ reply }: Exchange): boolean {
  return reply.kind === 'answered' && [409, 423, 425, 429, 503].includes(reply.status)
}
