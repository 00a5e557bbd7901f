import { MirrorError } from '../errors.ts'
import { type FeedState, MAX_RUNS } from '../stores/mirror-store.ts'

/** A position of a feed. Its number alone would be ambiguous: a database that is restored from a backup assigns the same numbers again. */
export interface FeedPosition {
  /** The id of the copy; `null` for the beginning of any feed. */
  readonly generation: string | null
  /** The run of the position; `''` if it was not recorded. */
  readonly run: string
  readonly number: number
}

export const BEGINNING: FeedPosition = { generation: null, run: '', number: 0 }

export function positionText({ generation, run, number }: FeedPosition): string {
  return run === '' ? `${generation}:${number}` : `${generation}:${run}:${number}`
}

/** @throws MirrorError `position_malformed` */
export function readPosition(text: string | null | undefined): FeedPosition {
  if (text === undefined || text === null) return BEGINNING
  const { generation, run = '', number } = POSITION.exec(text)?.groups ?? {}
  if (generation !== undefined && number !== undefined) return { generation, run, number: Number(number) }
  throw new MirrorError(
    'position_malformed',
    'the given position is not the position of a change. Pass the position of the last change that you handled, or no position to get all changes.',
  )
}

const POSITION = /^(?<generation>[\w-]+):(?:(?<run>[\w-]+):)?(?<number>\d{1,15})$/

/**
 * Requires that a feed contains a position, so that a reader misses nothing if it continues there.
 *
 * @param feed  read with the run of the position
 * @throws MirrorError `position_foreign`, `position_lost`
 */
export function requirePosition(position: FeedPosition, feed: FeedState): void {
  const { generation, number } = position
  if (generation === null) return
  if (generation !== feed.generation) {
    throw new MirrorError(
      'position_foreign',
      'the given position belongs to another copy: this copy was created later, or is in another store. Empty your index, and pass no position to get all changes.',
    )
  }
  if (number === 0 || (feed.runEnd !== null && number <= feed.runEnd) || isStillToCome(position, feed)) return
  throw new MirrorError(
    'position_lost',
    'the database no longer contains the given position: it was restored from a backup that is older than this position, or lost its last commits, ' +
      `or more than ${MAX_RUNS.toLocaleString('en-US')} processes have written changes since. Your index may contain changes that the database has lost. ` +
      'Empty your index, and pass no position to get all changes.',
  )
}

/** Whether a replica may not have received a position yet. No other run of the replica can have begun before the position. */
function isStillToCome({ run, number }: FeedPosition, { isReplica = false, position, runEnd, run: latest }: FeedState) {
  return isReplica && number > position && (runEnd === null || run === latest)
}
