import type { Problem } from '../integrations/problem.ts'
import type { CompletedFullListing, FullListingProgress } from '../integrations/progress.ts'
import { problemOf } from '../rules/problem-rule.ts'
import { isSilent } from '../rules/silence-rule.ts'
import type { HeldRemovals, NoteCounts, ReadableStore } from '../stores/mirror-store.ts'
import { BEGINNING, positionText } from './positions.ts'

/** The state of a mirror. Dates are of this machine's clock, except `watermark`. */
export interface MirrorStatus {
  /** The number of notes by presence, and of notes that must be read. */
  readonly notes: Omit<NoteCounts, 'contradicted'>
  /**
   * The number of notes that the service returns at a lower revision than before, or again after `note.deleted` (open point 35): its replicas
   * lag, or it was restored from a backup. The mirror accepts a lower revision after about eight and a half minutes. It accepts a note whose
   * deletion was announced in a full listing a day later.
   */
  readonly contradictions: number
  /** Whether the first full listing has ended. */
  readonly isBackfilled: boolean
  /** The service's time up to which all changes were listed; `null` before the first full listing has ended, or if the service sends no time. */
  readonly watermark: Date | null
  /**
   * When the last complete full listing began. `null` before the first full listing, while a note must be read, while there are contradictions, if
   * that full listing listed a note without an identifier that can be used or stored, or a later poll did, and if this time is in the future, because
   * a clock was wrong.
   */
  readonly correctAsOf: Date | null
  /** The last full listing that ended. The notes that it missed were confirmed, or count as `dirty` until they are read. */
  readonly lastFullListing: CompletedFullListing | null
  /** The full listing that is under way. */
  readonly fullListing: FullListingProgress | null
  /** Full listings that hold removals back. `acceptRemovals` erases the notes; a note that is found again is shown again. */
  readonly held: readonly HeldRemovals[]
  /** The position of the latest change, `null` before the first. Pass it to `changes` to get only later changes. */
  readonly position: string | null
  readonly polledAt: Date | null
  /** When the last event arrived; `null` before the first. */
  readonly heardAt: Date | null
  /**
   * The problem with which the last work ended: the copy is not brought up to date. `null` after work that succeeded.
   */
  readonly problem: Problem | null
  /** Set if polls find changes that no event announced: the endpoint may be disabled; check it in the service's console. */
  readonly silence: string | null
}

export async function statusOf(store: ReadableStore, integration: string, now: number): Promise<MirrorStatus> {
  const { progress, heardAt } = await store.readProgress(integration)
  const [row] = await store.integrations.list({ integration, after: '', limit: 1 })
  const { generation, run, position: number } = await store.readFeed(integration, BEGINNING.run)
  const { contradicted: contradictions, missing: _, held, ...notes } = await store.count(integration)
  const { poll, fullListing, lastFullListing } = progress
  const isPollComplete =
    poll.unstoredSequence === undefined || poll.unstoredSequence <= (lastFullListing?.startSequence ?? 0)
  const isSettled =
    isPollComplete &&
    lastFullListing?.unidentified === undefined &&
    notes.dirty === 0 &&
    notes.unsettled === 0 &&
    contradictions === 0
  return {
    notes,
    contradictions,
    isBackfilled: poll.backfilledAt !== null,
    watermark: dateOf(poll.watermark),
    correctAsOf:
      lastFullListing !== null && isSettled && lastFullListing.beganAt <= now
        ? new Date(lastFullListing.beganAt)
        : null,
    lastFullListing,
    fullListing,
    held,
    position: generation === null ? null : positionText({ generation, run, number }),
    polledAt: pastOf(poll.polledAt, now),
    heardAt: pastOf(heardAt, now),
    problem: problemOf(row?.record.problem, now),
    silence: silenceOf(poll.heardAt === heardAt ? poll.unannounced : 0, heardAt, now),
  }
}

function silenceOf(unannounced: number, heardAt: number | null, now: number): string | null {
  if (heardAt === null || !isSilent({ unannounced, heardAt }, now)) return null
  return `polls found ${unannounced} changes for which no event arrived since the last event at ${new Date(heardAt).toISOString()}: the endpoint is probably disabled`
}

/** The time of something that has happened: now if a clock that was ahead wrote a later time. */
function pastOf(ms: number | null, now: number): Date | null {
  return dateOf(ms === null ? null : Math.min(ms, now))
}

function dateOf(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms)
}
