import type { NotesClient } from '@notewire/client'
import {
  type Clock,
  isIntegrationId,
  type Logger,
  OptionError,
  refuseNoSignal,
  refuseWithoutMethods,
} from '@notewire/protocol'
import type { MirrorHooks } from './hooks.ts'
import type { ContentPart, KeptParts } from './notes/note-write.ts'
import { MirrorLog } from './reporting/mirror-log.ts'
import type { MirrorStore } from './stores/mirror-store.ts'

/** Options of `createMirror`. */
export interface MirrorOptions<Transaction = never> {
  /** Reads the notes. The mirror contains what its key can see. The key needs the scope `notes:read`, and the scope of each kept part. */
  readonly client: NotesClient
  /** Where the copy is kept: `sqliteMirror('notes.db')`, `postgresMirror(pool)`, or `sqliteMirror(':memory:')` in tests. */
  readonly store: MirrorStore<Transaction>
  /**
   * The name of this mirror in its store. Mirrors with different keys need different integrations, because each key can access other notes.
   * 1 to 128 of the characters `A-Z a-z 0-9 . _ ~ -`, and not `.` or `..`, as in a receiver.
   *
   * @default 'default'
   */
  readonly integration?: string | undefined
  /**
   * The parts of each note to keep. With `[]`, only identifiers, statuses and times are kept.
   *
   * @default ['note', 'transcript', 'summary']
   */
  readonly keep?: readonly ContentPart[] | undefined
  /**
   * The maximum number of notes that are read concurrently. Each takes up to three concurrent requests.
   *
   * @default 8
   */
  readonly concurrency?: number | undefined
  /**
   * The time between two polls of `run`, in milliseconds.
   *
   * @default 300_000 (5 min)
   */
  readonly pollEveryMs?: number | undefined
  /**
   * The time between two full listings, in milliseconds. Only a full listing finds every deletion and every lost access that no event announced.
   *
   * @default 86_400_000 (1 day)
   */
  readonly fullListingEveryMs?: number | undefined
  /** Functions that the mirror calls to report progress and errors. */
  readonly hooks?: MirrorHooks | undefined
  /**
   * Gets a line when a problem begins, changes or ends. No line contains a key or note content. A call that rejects logs nothing.
   *
   * @default console
   */
  readonly logger?: Logger | undefined
  /**
   * Adds the messages of errors of databases, consumers and `connect` to the log. **Only for development:** a message may contain note content, a row
   * of a database or a key. The mirror logs a warning when it is created with `true`.
   *
   * @default false: the log shows the class of an error, its code, and where it was thrown
   */
  readonly logErrorMessages?: boolean | undefined
}

export const MIRROR_OPTIONS: Readonly<Record<keyof MirrorOptions, true>> = {
  client: true,
  store: true,
  integration: true,
  keep: true,
  concurrency: true,
  pollEveryMs: true,
  fullListingEveryMs: true,
  hooks: true,
  logger: true,
  logErrorMessages: true,
}

/** The options of a receiver that every mirror accepts. */
export const RECEIVER_OPTIONS = {
  toleranceSeconds: true,
  maxBodyBytes: true,
  hooks: true,
  logger: true,
  logErrorMessages: true,
  clock: true,
} as const

/** Names of these options in other libraries. */
export const ALIASES: ReadonlyMap<string, string> = new Map([
  ['database', 'store'],
  ['db', 'store'],
  ['interval', 'pollEveryMs'],
  ['parts', 'keep'],
])

/** Every part of a note, which is the default. */
export const PARTS = Object.keys({
  note: true,
  transcript: true,
  summary: true,
} satisfies Record<ContentPart, true>) as readonly ContentPart[]

/** How often `createMirror` and `createMirrors` poll and list all notes by default, in milliseconds: every 5 min, and once a day. */
export const DEFAULT_SCHEDULE = { pollEveryMs: 300_000, fullListingEveryMs: 86_400_000 } as const

/** @throws OptionError when the options contain a clock, as version 0.1.0 took it */
export function refuseClock(options: object): void {
  if (typeof options !== 'object' || options === null || !('clock' in options)) return
  throw new OptionError(
    'clock',
    "clock is an option of the store, because all processes go by the store's time. Pass it there: sqliteMirror(path, { clock }).",
  )
}

/**
 * Makes the log of a mirror from its options.
 *
 * @param collectMs  how long occurrences of one kind are collected before their line is written, in milliseconds
 * @throws OptionError when the logger lacks a method, or `logErrorMessages` is not a boolean
 */
export function mirrorLog(
  { logger = console, logErrorMessages = false }: Pick<MirrorOptions, 'logger' | 'logErrorMessages'>,
  clock: Clock,
  collectMs: number,
): MirrorLog {
  refuseWithoutMethods('logger', logger, ['info', 'warn', 'error'])
  // The text of a variable, such as 'false', would count as true.
  if (typeof logErrorMessages !== 'boolean') {
    throw new OptionError('logErrorMessages', 'logErrorMessages is not true or false. Pass a boolean, or omit it.')
  }
  return new MirrorLog({ logger, logErrorMessages, clock, collectMs })
}

/** @throws OptionError when the value is not a client */
export function requireClient(client: NotesClient): NotesClient {
  const fix = 'Pass a NotesClient, such as new NotesClient({ baseUrl, apiKey }).'
  return requireMethods('client', client, 'identifyKey', fix)
}

/** @throws OptionError when the value is not a store */
export function requireStore<Store extends MirrorStore>(store: Store): Store {
  if (typeof store === 'object' && store !== null && 'forget' in store && !('listNotes' in store)) {
    throw new OptionError(
      'store',
      "store is the store of a receiver. Pass the store of a mirror, such as sqliteMirror('notes.db') of @notewire/mirror/sqlite.",
    )
  }
  return requireMethods('store', store, 'commit', "Pass a store, such as sqliteMirror('notes.db').")
}

function requireMethods<Value extends object>(option: string, value: Value, member: keyof Value, fix: string): Value {
  if (typeof value === 'object' && value !== null && value[member] !== undefined) return value
  throw new OptionError(option, `${option} is missing or not valid. ${fix}`)
}

/** @throws OptionError when the id cannot be part of a URL without escaping */
export function requireIntegration(integration: unknown): string {
  if (isIntegrationId(integration)) return integration
  throw new OptionError(
    'integration',
    'integration must be 1 to 128 of the characters A-Z a-z 0-9 . _ ~ - and not "." or "..". Pass an id of your choice for the account ' +
      'or channel of the key.',
  )
}

/** @throws OptionError when the value is not the id of a note */
export function requireNoteId(method: string, noteId: unknown): asserts noteId is string {
  if (typeof noteId === 'string' && noteId !== '') return
  const problem =
    noteId === undefined || noteId === null || noteId === '' ? 'missing' : `not a string but ${typeof noteId}`
  throw new OptionError('noteId', `the id of the note is ${problem}. Pass it: ${method}(note.note_id).`)
}

/** @throws OptionError when the value is not a list of parts */
export function requireParts(parts: readonly unknown[]): KeptParts {
  const known: readonly unknown[] = PARTS
  if (Array.isArray(parts) && parts.every((part) => known.includes(part))) return new Set(parts as ContentPart[])
  throw new OptionError('keep', `keep is not a list of parts. Pass an array of '${PARTS.join("', '")}', or [].`)
}

/** @throws OptionError when the value is not a whole number of at least 1 */
export function requireCount(option: string, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value
  throw new OptionError(option, `${option} is not a whole number, 1 or more. Pass one, or omit the option.`)
}

/** @throws OptionError when the value is neither omitted nor one of the words */
export function requireWord(option: string, value: unknown, words: readonly string[]): void {
  if (value === undefined || words.some((word) => word === value)) return
  throw new OptionError(
    option,
    `${option} is not one of '${words.join("', '")}'. Pass one of them, or omit the option.`,
  )
}

/** @throws OptionError when the value is not an AbortSignal */
export function requireSignal(method: string, signal: AbortSignal): AbortSignal {
  refuseNoSignal(signal)
  if (signal) return signal
  throw new OptionError('signal', `${method} needs an AbortSignal. Pass one: { signal: controller.signal }.`)
}

/** @throws OptionError when the value is not a function */
export function requireFunction<Value>(option: string, value: Value, fix: string): Value {
  if (typeof value === 'function') return value
  throw new OptionError(option, `${option} is not a function. ${fix}`)
}
