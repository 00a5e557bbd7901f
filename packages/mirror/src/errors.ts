import type { KeyIdentity } from '@notewire/client'
import { NotewireError } from '@notewire/protocol'

/** Every `code` of a `MirrorError`. */
export type MirrorErrorCode =
  | 'key_changed'
  | 'key_shared'
  | 'integration_removed'
  | 'integration_busy'
  | 'callback_timed_out'
  | 'mirror_busy'
  | 'mirror_in_use'
  | 'note_refused'
  | 'full_listing_unknown'
  | 'listing_stalled'
  | 'position_malformed'
  | 'position_foreign'
  | 'position_lost'
  | 'consumer_lost'
  | 'transaction_not_committed'

/** A call that a mirror rejects, or cannot complete. Neither the message nor a field contains a key or note content. */
export class MirrorError extends NotewireError<MirrorErrorCode> {}

/** The notes were listed with another key, or with a key that is not recorded. The mirror cannot tell which notes the given key can access. */
export class KeyChangedError extends MirrorError {
  /** The id of the key that the notes were listed with; `undefined` if that key has no id, or is not recorded. */
  readonly keyId: string | undefined
  /** What is recorded of that key: its id, a digest (which is not shown) if it has no id, or nothing. */
  readonly recorded: KeyIdentity['kind'] | 'nothing'

  constructor(integration: string, recorded: KeyIdentity | null, given: KeyIdentity) {
    super(
      'key_changed',
      `${recordedWords(integration, recorded)}, but the client uses ${givenWords(recorded, given)}. ` +
        'If both keys can access the same notes, call mirror.adoptKey() once, or mirrors.resume(id, { adoptKey: true }); otherwise use a separate integration for the new key.',
    )
    this.keyId = recorded?.kind === 'key_id' ? recorded.keyId : undefined
    this.recorded = recorded?.kind ?? 'nothing'
  }
}

function recordedWords(integration: string, recorded: KeyIdentity | null): string {
  if (recorded === null) return `the mirror "${integration}" has no record of the API key that it was created with`
  const key = recorded.kind === 'key_id' ? `the API key ${recorded.keyId}` : 'an API key that has no key id'
  return `the mirror "${integration}" was created with ${key}`
}

function givenWords(recorded: KeyIdentity | null, given: KeyIdentity): string {
  if (given.kind === 'key_id' && recorded?.kind === 'key_id' && recorded.keyId === given.keyId)
    return 'a key with the same key id and another secret'
  if (given.kind === 'key_id') return `the API key ${given.keyId}`
  return recorded?.kind === 'digest' ? 'another API key that has no key id' : 'an API key that has no key id'
}

/** Every attempt to write conflicted with other processes: they had changed the same notes, or taken the lease. */
export class MirrorBusyError extends MirrorError {
  constructor() {
    super(
      'mirror_busy',
      'other processes changed the same notes, or took the lease, at every attempt. Nothing is lost: the next sync tries again. If this happens often, run fewer processes on this mirror.',
    )
  }
}

/**
 * The store refuses what the service returned for a note: it is nested too deep, or too long. The hook `onProblem` gets it with the id of the note,
 * which is fetched again later. The other notes are stored.
 */
export class NoteRefusedError extends MirrorError {
  /** Why: `SQLSTATE 54000`, `SQLite: malformed JSON`. */
  readonly reason: string

  constructor(reason: string) {
    super(
      'note_refused',
      `the store refused what the service returned for a note (${reason}), so it was not stored. The other notes were. The note is fetched again later; status().correctAsOf is null until it can be stored. Report the note to the service.`,
    )
    this.reason = reason
  }
}

/** The integration was removed, or was never added. */
export class IntegrationRemovedError extends MirrorError {
  constructor(integration: string) {
    super(
      'integration_removed',
      `the integration "${integration}" was removed, or was never added, so it cannot be read. To copy its notes again, call mirrors.add, and then mirrors.of for the new copy.`,
    )
  }
}

/** Another integration of the same store uses the API key. */
export class KeySharedError extends MirrorError {
  constructor(integration: string) {
    super(
      'key_shared',
      `another integration uses the API key that connect returned for "${integration}", so no request was sent with it. Each integration needs an API key of its own: issue one, let connect return it, and call mirrors.add again.`,
    )
  }
}

/** Another worker has held the lease of the integration for 30 s. */
export class MirrorInUseError extends MirrorError {
  /** The name of the worker. */
  readonly worker: string
  /** When its lease ends, unless it renews it. */
  readonly until: Date

  constructor(integration: string, worker: string, until: Date) {
    super(
      'mirror_in_use',
      `${worker} is working on "${integration}", and has a lease until ${until.toISOString()}, which it renews while it works. What you asked for is stored, and that worker does it next. To wait longer, call sync again.`,
    )
    this.worker = worker
    this.until = until
  }
}

/**
 * The worker's lease was lost: another worker has taken the integration, or it was removed. The store rejects the worker's commits. No caller of the
 * mirror gets this error.
 */
export class LeaseLostError extends Error {
  constructor() {
    super('another worker has taken the integration, or it was removed')
  }
}

/** Another worker held the lease of the integration for 30 s, or took it meanwhile. */
export class IntegrationBusyError extends MirrorError {
  constructor(integration: string) {
    super(
      'integration_busy',
      `another worker is working on the integration "${integration}", so its endpoint was not registered and its key was not checked. Call mirrors.add again in a minute: the lease of a worker that died ends after 30 s.`,
    )
  }
}
