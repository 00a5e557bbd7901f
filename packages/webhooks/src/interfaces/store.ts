import type { AppliedRevision, GateMode, NoteChange } from './revision-gate.ts'

/**
 * Keeps what receivers have processed, so that any number of instances apply every event once and in order.
 *
 * Every operation is atomic, and `integration` is part of every key: the revisions of one API key must not affect those of another.
 * A claim may lease the event and its note first, decide by what was applied to the note, and release the lease of a stale event.
 * Compare times by the clock of the store's server, so that instances with skewed clocks cannot take over leases.
 * `storeChecks` of `@notewire/webhooks/testing` tests everything that a store must do.
 *
 * `claim` and `commit` may return their results without a promise. Await them if you call them.
 *
 * Give every operation a time limit of a few seconds: an operation that never settles keeps its event and its attempt waiting.
 */
export interface ReceiverStore extends ProcessedRecords {
  /**
   * Claims an event. The store checks in this order: `duplicate`, `stale`, `busy`, `claimed`. It takes over an expired lease
   * with a higher fencing token. A lease that ends more than twice `leaseMs` ahead has expired, too: the clock was set back after it was
   * written.
   */
  claim(request: ClaimRequest): ClaimResult | Promise<ClaimResult>
  /** Renews the lease of a claim to `leaseMs` from now, if its token is current. */
  renew(claim: Claim, leaseMs: number): Promise<'renewed' | 'lost'>
  /** Marks the event as processed, raises the note's revision and ends the claim, in one step, if the claim's token is current. */
  commit(claim: Claim): CommitResult | Promise<CommitResult>
  /** Ends the claim without a commit, so that the event can be claimed again at once. Does nothing if the claim was lost. */
  release(claim: Claim): Promise<void>
}

/** The records of events and notes, in a store of either kind. */
export interface ProcessedRecords {
  /**
   * Lets a processed event be processed again: its replay is neither a duplicate nor stale. The revision of its note
   * does not change.
   */
  forget(integration: string, eventId: string): Promise<'forgotten' | 'unknown'>
  /**
   * Removes processed records and revisions that need not be kept any longer.
   *
   * @returns how many were removed
   */
  prune(): Promise<number>
}

/** The result of a commit: `lost` if another worker has taken the claim over, or the claim was committed before. */
export type CommitResult = 'committed' | 'lost'

/** What a store needs to decide on a claim. */
export interface ClaimRequest {
  /** The id of an integration: 1 to 128 of the characters `A-Z a-z 0-9 . _ ~ -`; the receiver checks it. */
  readonly integration: string
  /** Like `noteId`: up to 512 UTF-16 code units, well-formed and without NUL. */
  readonly eventId: string
  /** Makes the claim exclusive for the note as well: one note is processed by one worker at a time. */
  readonly note?: ClaimedNote | undefined
  readonly gate: GateMode
  /** After this time the lease expires unless it is renewed. */
  readonly leaseMs: number
  /**
   * The shortest time for which the processed record and the revision are kept after the commit. It never shortens the time of an
   * earlier commit.
   */
  readonly keepMs: number
}

/** The note that an event is about. */
export interface ClaimedNote {
  readonly noteId: string
  /** The change that the gate checks and the commit applies; without it the event passes the gate and raises no revision. */
  readonly change?: NoteChange | undefined
}

/** The lease under which one worker processes one event of one note. */
export interface Claim {
  readonly request: ClaimRequest
  /** Higher with each claim of the same event or note: a claim with a lower token is lost. */
  readonly fencingToken: string
  /** What was applied to the note before: what the commits of its earlier claims raised it to. `undefined` if nothing was. */
  readonly applied?: AppliedRevision | undefined
}

/** The result of a claim. */
export type ClaimResult =
  | { readonly status: 'claimed'; readonly claim: Claim }
  /** The event was processed before. */
  | { readonly status: 'duplicate' }
  /**
   * The gate rejects the event: `appliedRevision` was applied to the note, or a deletion. `undefined` if only deletions without a revision
   * were applied.
   */
  | { readonly status: 'stale'; readonly appliedRevision: number | undefined }
  /** This event, or another of the same note, is being processed. */
  | { readonly status: 'busy' }

/** The time limit of an operation of a store on a server. The service waits 10 s for the answer to a delivery. */
export const STORE_TIME_LIMIT_MS = 5_000
