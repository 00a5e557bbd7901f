import {
  callKeyOf,
  isNoteEvent,
  markAsPart,
  type NoResponse,
  type NoteDeletedEvent,
  type NoteEndedEvent,
  type NoteHandlerParts,
  type NoteSummaryGeneratedEvent,
  type NoteUpdatedEvent,
  OptionError,
  parseTime,
  type WebhookEvent,
} from '@notewire/protocol'
import { fetchParts, fetchRecord, hasLowerContentRevision, type NoteSource } from './fetch-note.ts'
import { type ChangeEvent, isLater, type Judgement, judgeNote } from './judge-note.ts'
import { keyProofOf } from './key-proof.ts'
import { KeyUnprovenError } from './key-unproven-error.ts'
import {
  type NoteHandlerContext,
  type NoteHandlersOptions,
  type NotePreparationContext,
  refuseClass,
  refuseOtherOrder,
  requireClient,
  resolveNoteHandlersOptions,
} from './note-handlers-options.ts'
import { NoteNotCurrentError } from './note-not-current-error.ts'

/** The options of a receiver that {@link noteHandlers} returns. */
export interface NoteHandlers<Context> {
  /** Lets `note.summary.generated` pass at an unchanged revision: the handlers fetch the current note, so this cannot move it back. */
  readonly revisionGate: 'per-kind'
  /** Fetches the note, before the transaction of a receiver begins that processes each event in one transaction. */
  readonly prepare: (event: WebhookEvent, context: NotePreparationContext) => Promise<PreparedNote>
  /** They call `changed` or `removed` at once, so they are synchronous if those are. */
  readonly on: {
    readonly 'note.ended': NoteHandler<NoteEndedEvent, Context>
    readonly 'note.summary.generated': NoteHandler<NoteSummaryGeneratedEvent, Context>
    readonly 'note.updated': NoteHandler<NoteUpdatedEvent, Context>
    readonly 'note.deleted': NoteHandler<NoteDeletedEvent, Context>
  }
}

type NoteHandler<Event, Context> = (event: Event, context: Context & { readonly prepared: PreparedNote }) => NoResponse

/** What follows from an event and from what was fetched. `undefined` after `note.deleted`, which needs no request. */
export type PreparedNote = Exclude<Judgement, { readonly step: 'retry' }> | undefined

/**
 * Makes the handlers of a receiver that keep a copy of notes: they fetch the current note after each event, and call `changed` or
 * `removed` (contract §1, §6). Spread the result into the options of `createReceiver`.
 *
 * Events can arrive late, twice and in any order, and the REST API can lag behind them. The handlers therefore throw
 * {@link NoteNotCurrentError} if the API does not yet return what the event announced: the receiver answers 500, and the service sends the
 * event again. An event that is older than an hour is applied with what exists, and a warning is logged, so that a part that never becomes
 * ready does not disable the endpoint. Errors of the client, such as 401, 403, 429 and 5xx, are thrown.
 *
 * The key of another integration gets a 404 for every note. The handlers therefore throw {@link KeyUnprovenError} instead of removing a
 * note after a 404, at any age of the event, until the key has returned a note that an event of the integration named.
 *
 * A note never moves to a lower revision than the last one applied: the receiver processes one event of a note at a time, each fetch
 * begins after the one before was applied, and the store keeps the revision that was fetched, not only the event's.
 *
 * @param client  a `NotesClient`, or a function that returns the one of an integration
 * @throws `OptionError` for what is no client, a missing function, an unknown part or an unknown option
 * @example
 * ```ts
 * import { NotesClient, noteHandlers } from '@notewire/client'
 * import { createReceiver } from '@notewire/webhooks'
 *
 * export const receiver = createReceiver({
 *   secret: () => process.env['NOTES_SIGNING_SECRET'],
 *   ...noteHandlers(new NotesClient(), {
 *     changed: ({ note, transcript }) => console.log(note.note_id, transcript.text ?? transcript.status),
 *     removed: ({ noteId }) => console.log(noteId, 'was deleted: remove your copy'),
 *   }),
 * })
 * ```
 */
export function noteHandlers<Context extends NoteHandlerContext = NoteHandlerContext>(
  client: NoteSource | ((integration: string) => NoteSource | Promise<NoteSource>),
  options: NoteHandlersOptions<Context>,
): NoteHandlers<Context> {
  refuseOtherOrder(client)
  const { changed, removed, parts, requireKeyProof } = resolveNoteHandlersOptions(options)
  refuseClass(client)
  if (typeof client !== 'function') requireClient(client, 'is no')
  let contentHasOwnRevision = false

  const prepareChange = async (event: ChangeEvent, context: NotePreparationContext): Promise<PreparedNote> => {
    const source =
      typeof client === 'function' ? requireClient(await client(context.integration), 'returned no') : client
    const noteId = event.data.note_id
    const note = await fetchRecord(source, noteId, context.signal)
    const proof = await keyProofOf(source, context.integration)
    if (note !== undefined) proof.record()
    const fetched =
      note === undefined
        ? ({ status: 'not_found' } as const)
        : await fetchParts(source, noteId, note, parts, context.signal)
    const ageMs = ageOf(event, source.serviceTime())
    contentHasOwnRevision ||= isLater(ageMs) && hasLowerContentRevision(fetched)
    const judgement = judgeNote(event, fetched, { applied: context.applied, ageMs, contentHasOwnRevision })
    if (judgement.step === 'retry') throw new NoteNotCurrentError(noteId, judgement.missing)
    if (note === undefined && requireKeyProof && !proof.isProven()) {
      throw new KeyUnprovenError(noteId, context.integration)
    }
    return judgement
  }

  const applyChange: NoteHandler<ChangeEvent, Context> = (event, context) => {
    const { prepared, logger } = context
    switch (prepared?.step) {
      case 'remove': {
        if (prepared.revision !== undefined) context.setAppliedRevision(prepared.revision)
        return removed({ noteId: event.data.note_id, reason: prepared.reason }, context)
      }
      case 'change': {
        const { current, incomplete } = prepared
        if (incomplete !== undefined) {
          logger.warn(
            'An event older than an hour was applied, although the REST API does not return what it announced.',
            { missing: incomplete },
          )
        }
        context.setAppliedRevision(current.note.revision)
        return changed(current, context)
      }
      case undefined:
        throw prepareReplaced()
      default:
        logger.warn('The REST API returned a lower revision than the one last applied. The event was skipped.')
        return undefined
    }
  }

  const handlerParts: NoteHandlerParts = { calls: new Map() }
  const asPart = <Event extends WebhookEvent>(handle: NoteHandler<Event, Context>): NoteHandler<Event, Context> =>
    markAsPart((event: Event, context: Parameters<typeof handle>[1]) => {
      const key = callKeyOf(event, context)
      if (handlerParts.calls.has(key)) handlerParts.calls.set(key, true)
      return handle(event, context)
    }, handlerParts)

  return {
    revisionGate: 'per-kind',
    prepare: markAsPart(
      async (event: WebhookEvent, context: NotePreparationContext): Promise<PreparedNote> =>
        isNoteEvent(event) && event.event_type !== 'note.deleted' ? await prepareChange(event, context) : undefined,
      handlerParts,
    ),
    on: {
      'note.ended': asPart<NoteEndedEvent>(applyChange),
      'note.summary.generated': asPart<NoteSummaryGeneratedEvent>(applyChange),
      'note.updated': asPart<NoteUpdatedEvent>(applyChange),
      'note.deleted': asPart<NoteDeletedEvent>(({ data }, context) => {
        const reason = data.reason === 'access_lost' ? 'access_lost' : 'deleted'
        return removed({ noteId: data.note_id, reason }, context)
      }),
    },
  }
}

function prepareReplaced(): OptionError {
  return new OptionError(
    'prepare',
    'prepare of the receiver is not the one of noteHandlers, and does not return what that returned, so there is no note to apply. Spread ' +
      '...noteHandlers(…) last, or return what its prepare returns.',
  )
}

/**
 * The service's own clock is preferred, because it wrote the time of the event. This machine's clock bounds it: after a wrong header
 * `Date`, an event that has just occurred would count as old, so that a 404 of a lagging replica would remove its note.
 */
function ageOf(event: ChangeEvent, serviceTime: Date | undefined): number | undefined {
  const occurredAt = parseTime(event.occurred_at)
  if (occurredAt === undefined) return undefined
  return Math.min(serviceTime?.getTime() ?? Number.POSITIVE_INFINITY, Date.now()) - occurredAt
}
