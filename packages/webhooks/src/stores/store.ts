import type { GateMode, NoteChange } from '../receiver/revision-gate.ts'

/**
 * Where receivers remember what they processed, so that any number of instances apply every event once and in order.
 *
 * Every operation is atomic, and `scope` is part of every key: one API key's revisions must not gate another's. Compare
 * times on the store's own clock where it lives on a server, so that instances with skewed clocks cannot steal leases.
 * `storeChecks` of `@notewire/webhooks/testing` is the definition in full: a store that passes it is one.
 *
 * Give every operation a time limit of its own, a few seconds: what never settles keeps a receiver from closing.
 *
 * @typeParam Transaction  what `commitIn` takes; `never` where the store has no transactions
 */
export interface ReceiverStore<Transaction = never> {
  /**
   * Asks to process an event. The answers are looked at in this order: `duplicate`, `stale`, `busy`, `claimed`. A lease
   * that has run out is taken over with a higher fencing token.
   */
  claim(request: ClaimRequest): Promise<ClaimResult>
  /** Prolongs a claim to `leaseMs` from now, while its token is current. */
  renew(claim: Claim, leaseMs: number): Promise<'renewed' | 'lost'>
  /** In one step marks the event as processed, raises the note's revision and ends the claim, while its token is current. */
  commit(claim: Claim): Promise<CommitResult>
  /**
   * The same within a transaction of the handler's own: it counts once that transaction commits. Where the driver is
   * synchronous, so is the answer. Left out by stores without transactions.
   */
  commitIn?(transaction: Transaction, claim: Claim): CommitResult | Promise<CommitResult>
  /** Gives the claim back, so that the event can be processed again at once. Does nothing when the claim was lost. */
  release(claim: Claim): Promise<void>
  /**
   * Lets an event that was processed be processed again: a replay of it is no duplicate, and never stale, since it is asked
   * for. Its revision stays.
   */
  forget(scope: string, eventId: string): Promise<'forgotten' | 'unknown'>
  /**
   * Removes the marks and revisions whose time to be kept is over.
   *
   * @returns how many were removed
   */
  prune(): Promise<number>
}

/** What became of a commit: `lost` when another worker has taken the claim over, or it was committed before. */
export type CommitResult = 'committed' | 'lost'

/** What a store must know to decide on a claim. */
export interface ClaimRequest {
  readonly scope: string
  readonly eventId: string
  /** Makes the claim exclusive for the note as well: one note is processed by one worker at a time. */
  readonly note?: ClaimedNote | undefined
  readonly gate: GateMode
  /** How long the claim lasts unless it is renewed. */
  readonly leaseMs: number
  /** How long the processed mark and the revision are kept after the commit, at least. */
  readonly keepMs: number
}

/** The note that an event is about. */
export interface ClaimedNote {
  readonly noteId: string
  /** What the gate judges and the commit raises; without it the event passes the gate and raises nothing. */
  readonly change?: NoteChange | undefined
}

/** The lease under which one worker processes one event of one note. */
export interface Claim {
  readonly request: ClaimRequest
  /** Grows with each claim of the same event or note: whoever holds a lower one has lost its claim. */
  readonly fencingToken: string
}

/** A store's answer to a claim. */
export type ClaimResult =
  | { readonly status: 'claimed'; readonly claim: Claim }
  /** The event was processed before. */
  | { readonly status: 'duplicate' }
  /** The gate ignores the event: the note stands at `appliedRevision`. */
  | { readonly status: 'stale'; readonly appliedRevision: number }
  /** This event, or another of the same note, is being processed. */
  | { readonly status: 'busy' }
