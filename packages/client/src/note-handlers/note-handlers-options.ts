import { type NoResponse, OptionError, refuseUnknownOptions } from '@notewire/protocol'
import type { CurrentNote, NotePart } from './current-note.ts'
import type { NoteSource } from './fetch-note.ts'
import type { AppliedNote } from './judge-note.ts'

/** What `noteHandlers` needs to fetch a note. */
export interface NotePreparationContext {
  /** The integration to which the event belongs. */
  readonly integration: string
  /** Aborted when the handler should stop. */
  readonly signal: AbortSignal
  readonly logger: { warn(message: string, fields?: Readonly<Record<string, unknown>>): void }
  /** What the receiver has applied to the note before this event. */
  readonly applied: AppliedNote | undefined
}

/** What `noteHandlers` needs of a handler's context. The context of a receiver of `@notewire/webhooks` has it. */
export interface NoteHandlerContext extends NotePreparationContext {
  /** Records the revision that was applied, which may be higher than the event's. */
  setAppliedRevision(revision: number): void
}

/** The options of `noteHandlers`. */
export interface NoteHandlersOptions<Context extends NoteHandlerContext = NoteHandlerContext> {
  /**
   * Called with the current state of a note after `note.ended`, `note.summary.generated` and `note.updated`. Write the note and its
   * parts to your copy. The revision is never lower than that of an earlier call for the note.
   */
  readonly changed: (current: CurrentNote, context: Context) => NoResponse
  /** Called when a note was deleted, or when the key can no longer access it. Remove your copy. It may be called more than once. */
  readonly removed: (removal: NoteRemoval, context: Context) => NoResponse
  /**
   * Which parts to fetch. The others have the status `not_fetched`.
   *
   * @default ['transcript', 'summary']
   */
  readonly parts?: readonly NotePart[] | undefined
  /**
   * Whether a 404 of the REST API removes a note only if the API key is known to belong to the events: since the process started, the API
   * has returned a note, or a tombstone, that an event of the integration named. Otherwise the key of another integration would remove
   * notes that exist. With `false`, a 404 a minute after an event always removes the note.
   *
   * @default true
   */
  readonly requireKeyProof?: boolean | undefined
}

/** A note that was deleted, or that the key can no longer access (contract §6). */
export interface NoteRemoval {
  readonly noteId: string
  /** `not_found`: the REST API answered 404 a minute or more after an event of the note. No event said why. */
  readonly reason: 'deleted' | 'access_lost' | 'not_found'
}

/** @throws `OptionError` for a missing function, an unknown part or an unknown option */
export function resolveNoteHandlersOptions<Context extends NoteHandlerContext>(options: NoteHandlersOptions<Context>) {
  refuseUnknownOptions('noteHandlers', options, { changed: true, removed: true, parts: true, requireKeyProof: true })
  const { changed, removed, parts = PARTS, requireKeyProof = true } = options
  for (const [name, value] of Object.entries({ changed, removed })) {
    if (typeof value === 'function') continue
    throw new OptionError(
      name,
      `${name} must be a function. noteHandlers calls changed with the current note, and removed to remove your copy.`,
    )
  }
  if (!Array.isArray(parts) || !parts.every((part) => PARTS.includes(part))) {
    throw new OptionError('parts', "parts must be a list of 'transcript', 'summary'. Omit it to fetch both.")
  }
  if (typeof requireKeyProof !== 'boolean') {
    throw new OptionError(
      'requireKeyProof',
      'requireKeyProof must be true or false. Omit it, so that a 404 removes a note only if the API key belongs to the events.',
    )
  }
  return { changed, removed, parts, requireKeyProof }
}

const PARTS = Object.keys({ transcript: true, summary: true } satisfies Record<NotePart, true>) as readonly NotePart[]

/** @throws `OptionError` if the functions are passed in place of the client */
export function refuseOtherOrder(client: unknown): void {
  const { changed, removed }: { changed?: unknown; removed?: unknown } = Object(client)
  if (typeof changed !== 'function' && typeof removed !== 'function') return
  throw new OptionError(
    'client',
    'noteHandlers takes the client first, and its functions second: noteHandlers(client, { changed, removed }).',
  )
}

/** A class is a function, too: its call would throw an error of the JavaScript engine. */
export function refuseClass(client: unknown): void {
  if (typeof client !== 'function' || !/^class\b/.test(Function.prototype.toString.call(client))) return
  throw new OptionError('client', 'client is a class. Pass an object of it: new NotesClient().')
}

/** @throws `OptionError` for what is no client */
export function requireClient(client: NoteSource, problem: string): NoteSource {
  const { notes, serviceTime }: Partial<NoteSource> = client ?? {}
  if (typeof notes?.get === 'function' && typeof serviceTime === 'function') return client
  throw new OptionError(
    'client',
    `client ${problem} NotesClient. Pass new NotesClient(), or a function that returns the client of an integration.`,
  )
}
