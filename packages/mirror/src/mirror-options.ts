import type { NotesClient } from '@notewire/client'
import { type Clock, OptionError, refuseUnknownOptions, systemClock } from '@notewire/protocol'
import { HOOKS, type MirrorHooks } from './mirror-hooks.ts'
import type { ContentPart, KeptParts } from './rules/keep.ts'
import type { MirrorStore } from './stores/store.ts'

/** What `createMirror` takes. */
export interface MirrorOptions {
  /** Reads the notes. Its key decides what the mirror shows: `notes:read` at least, and the scope of each part that is kept. */
  readonly client: NotesClient
  /** Where the copy is kept: `sqliteMirror('notes.db')`, `postgresMirror(pool)`, or `memoryMirror()`. */
  readonly store: MirrorStore
  /**
   * Names this mirror among those that share a store. Mirrors of different keys need different scopes: another key sees other
   * notes.
   *
   * @default 'default'
   */
  readonly scope?: string | undefined
  /**
   * What is kept of the content of notes. Without any, identifiers, statuses and times are kept alone.
   *
   * @default ['note', 'transcript', 'summary']
   */
  readonly keep?: readonly ContentPart[] | undefined
  /**
   * How many notes are read at once; each takes up to two requests at a time.
   *
   * @default 8
   */
  readonly concurrency?: number | undefined
  /**
   * How often `run` asks for what has changed, in milliseconds.
   *
   * @default 300_000 (5 min)
   */
  readonly pollEveryMs?: number | undefined
  /**
   * How old the last scan is when the next is due, in milliseconds. Scans alone find deletions of which no event came.
   *
   * @default 86_400_000 (1 day)
   */
  readonly scanEveryMs?: number | undefined
  /** Functions that are told of progress and of what went wrong. */
  readonly hooks?: MirrorHooks | undefined
  /** @default systemClock */
  readonly clock?: Clock | undefined
}

/** The options, checked and complete. */
export interface MirrorSettings {
  readonly client: NotesClient
  readonly store: MirrorStore
  readonly scope: string
  readonly keep: KeptParts
  readonly concurrency: number
  readonly pollEveryMs: number
  readonly scanEveryMs: number
  readonly hooks: MirrorHooks
  readonly clock: Clock
}

const OPTIONS: readonly (keyof MirrorOptions)[] = [
  'client',
  'store',
  'scope',
  'keep',
  'concurrency',
  'pollEveryMs',
  'scanEveryMs',
  'hooks',
  'clock',
]
const PARTS: readonly ContentPart[] = ['note', 'transcript', 'summary']

/** @throws OptionError naming the first option that cannot work, and the fix */
export function resolveMirrorOptions(options: MirrorOptions): MirrorSettings {
  refuseUnknownOptions('createMirror', options, OPTIONS)
  const hooks = options.hooks ?? {}
  refuseUnknownOptions('hooks', hooks, HOOKS)
  return {
    client: requireMethods(
      'client',
      options.client,
      'notes',
      'Pass a NotesClient: new NotesClient({ baseUrl, apiKey }).',
    ),
    store: requireMethods('store', options.store, 'commit', "Pass a store: sqliteMirror('notes.db'), for one."),
    scope: requireScope(options.scope ?? 'default'),
    keep: requireParts(options.keep ?? PARTS),
    concurrency: requireCount('concurrency', options.concurrency ?? 8),
    pollEveryMs: requireCount('pollEveryMs', options.pollEveryMs ?? 300_000),
    scanEveryMs: requireCount('scanEveryMs', options.scanEveryMs ?? 86_400_000),
    hooks,
    clock: options.clock ?? systemClock,
  }
}

function requireMethods<Value extends object>(option: string, value: Value, member: keyof Value, fix: string): Value {
  if (typeof value === 'object' && value !== null && value[member] !== undefined) return value
  throw new OptionError(option, `${option} is missing or of another kind. ${fix}`)
}

function requireScope(scope: unknown): string {
  if (typeof scope === 'string' && scope !== '') return scope
  throw new OptionError('scope', 'scope is not a name. Pass a word of your own for the account or channel of the key.')
}

function requireParts(parts: readonly unknown[]): KeptParts {
  const known: readonly unknown[] = PARTS
  if (Array.isArray(parts) && parts.every((part) => known.includes(part))) return new Set(parts as ContentPart[])
  throw new OptionError('keep', `keep is not a list of parts. Pass some of '${PARTS.join("', '")}', or [].`)
}

/** @throws OptionError when the value is not a whole number from 1 */
export function requireCount(option: string, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value
  throw new OptionError(option, `${option} is not a whole number from 1. Pass one, or leave the option out.`)
}
