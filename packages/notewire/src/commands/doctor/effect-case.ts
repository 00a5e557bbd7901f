import type { RunCheck } from './check.ts'
import { type EventKind, type TestEvent, testEvent, testId } from './delivery.ts'
import { isDeletion, isUpdate, plays, type Scenario } from './scenario.ts'

/** What a check of effects sends for each kind of event that the receiver applies: one event, after others about the same note. */
interface EffectCase extends Pick<Scenario, 'atOnce'> {
  /** The kinds for which it is sent. Default: all. A deletion comes after an update. */
  readonly of?: 'updates' | 'deletions'
  /** The events that are applied first. Default: for a deletion, an update that creates the note, because some receivers only delete what they have. */
  readonly after?: readonly Earlier[]
  readonly revision?: number
  /** Another kind, under which the event is sent. */
  readonly as?: string
  /** Default: one delivery of the event. */
  readonly deliveries?: (event: TestEvent) => NonNullable<Scenario['deliveries']>
}

interface Earlier {
  readonly revision: number
  /** Default: an event of the first kind of update that the receiver applies. A copy has another ID. A loss is a deletion with the reason `access_lost`. */
  readonly as?: 'update' | 'copy' | 'deletion' | 'loss'
}

/** The receiver must apply the event once. */
export function applies(effectCase: EffectCase): RunCheck {
  return plays((handled) => scenariosOf(effectCase, handled, 1))
}

/** The receiver must not apply the event. */
export function ignores(effectCase: EffectCase): RunCheck {
  return plays((handled) => scenariosOf(effectCase, handled, 0))
}

function scenariosOf(
  { of, after, revision, as: sentAs, deliveries, atOnce }: EffectCase,
  handled: readonly EventKind[],
  expectedCount: 0 | 1,
): readonly Scenario[] {
  const update = handled.find(isUpdate)
  // Waiting for the effect of a deletion that the receiver does not apply would take long.
  if (after?.some(({ as }) => as === 'deletion' || as === 'loss') && !handled.some(isDeletion)) return []
  const kinds = of === undefined ? handled : handled.filter((kind) => isDeletion(kind) === (of === 'deletions'))
  return (of === 'deletions' && update === undefined ? [] : kinds).map((kind) => {
    const note_id = testId('note')
    const about = revision === undefined ? { note_id } : { note_id, revision }
    const countedEvent = sentAs === undefined ? kind.event(about) : testEvent(sentAs, about)
    const before = after?.map(({ as = 'update', revision }) => {
      if (as === 'deletion') return testEvent('note.deleted', { note_id, revision })
      if (as === 'loss') return testEvent('note.deleted', { note_id, revision, reason: 'access_lost' })
      if (as === 'update') return (update ?? kind).event({ note_id, revision })
      return { ...countedEvent, event_id: testId('event'), data: { ...countedEvent.data, revision } }
    })
    return {
      what: sentAs ?? kind.name,
      before: before ?? creationOf(kind, countedEvent, handled),
      deliveries: deliveries?.(countedEvent),
      atOnce,
      countedEvent,
      expectedCount,
    }
  })
}

/** An event that creates the note of a deletion. */
export function creationOf(kind: EventKind, { data }: TestEvent, handled: readonly EventKind[]): readonly TestEvent[] {
  const update = handled.find(isUpdate)
  return isDeletion(kind) && update !== undefined ? [update.event({ note_id: data['note_id'], revision: 1 })] : []
}
