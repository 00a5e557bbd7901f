import { failed, group, must, warned } from '../check.ts'
import { eventBody, testId } from '../delivery.ts'
import type { Exchange } from '../send.ts'

const DUPLICATES = '§6, delivery semantics 1'
const ORDER = '§6, delivery semantics 2'
const REPLAYS = `${DUPLICATES}; open point 19`

const ACCEPT_DUPLICATES =
  'Answer 2xx to an event that was already processed. Any other answer counts as a failed delivery, and the service sends the event again.'

const ACCEPT_STALE =
  'Answer 2xx to an event whose revision is equal to or lower than the last applied one, and ignore it. A late event is not an error.'

export const repetitionChecks = group('Duplicates and order', [
  must('repetition.one-after-another', 'a repeated delivery', DUPLICATES, {
    fix: ACCEPT_DUPLICATES,
    requires: 'event.note.updated',
    accepts: () => {
      const attempt = { body: eventBody(), webhookId: testId('attempt') }
      return [attempt, attempt, attempt]
    },
  }),
  must('repetition.other-webhook-id', 'a repeated event with another webhook-id', REPLAYS, {
    fix: `${ACCEPT_DUPLICATES} Recognize duplicates by event_id, because webhook-id may change.`,
    requires: 'repetition.one-after-another',
    accepts: () => {
      const body = eventBody()
      return [{ body }, { body }, { body }]
    },
  }),
  must('repetition.at-once', 'an event in five concurrent deliveries', `${DUPLICATES}; ${ORDER}`, {
    fix: 'Let the database detect the duplicate (INSERT … ON CONFLICT DO NOTHING on event_id), and answer 2xx to the second delivery. A unique violation must not become a 500.',
    requires: 'repetition.one-after-another',
    atOnce: true,
    accepts: () => {
      const attempt = { body: eventBody(), webhookId: testId('attempt') }
      return Array.from({ length: 5 }, () => attempt)
    },
    diagnose: async (_examination, exchange, seen) =>
      isBusy(exchange) ? warned(exchange, seen, PROCESSING) : failed(exchange, seen),
  }),
  must('repetition.older-revision', 'an event that arrives after one with a higher revision', ORDER, {
    fix: ACCEPT_STALE,
    requires: 'event.note.updated',
    accepts: () => {
      const note_id = testId('note')
      return [3, 2, 1, 4].map((revision) => ({ body: eventBody('note.updated', { note_id, revision }) }))
    },
  }),
  must('repetition.equal-revision', 'an event with the revision of the one before it', `${ORDER}; open point 20`, {
    fix: `${ACCEPT_STALE} Apply a deletion even if its revision is equal: losing access may not raise the revision.`,
    requires: 'event.note.updated',
    accepts: () => {
      const note_id = testId('note')
      return ['note.updated', 'note.deleted', 'note.updated'].map((kind) => ({
        what: kind,
        body: eventBody(kind, { note_id, revision: 2 }),
      }))
    },
  }),
])

const PROCESSING =
  'it was processing another delivery of the event. The retry may be accepted, but each of these is a failure'

/** Whether the receiver may have answered that it was processing another delivery of the event. */
function isBusy({ reply }: Exchange): boolean {
  return reply.kind === 'answered' && [409, 423, 425, 503].includes(reply.status)
}
