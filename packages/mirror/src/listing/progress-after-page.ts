import type { Note } from '@notewire/protocol'
import type { MirrorProgress, ScanProgress } from '../interfaces/progress.ts'

/** A page of a listing, and where the next page begins. */
export type ListedPage =
  | { readonly phase: 'backfill' | 'poll'; readonly notes: readonly Note[]; readonly checkpoint: string }
  | { readonly phase: 'scan' | 'confirming'; readonly notes: readonly Note[]; readonly cursor: string | null }

/** What a page brought. */
export interface PageCounts {
  /** How many live notes it listed. */
  readonly live: number
  /** How many of those the mirror had shown before the scan began. */
  readonly shownBefore: number
  /** How many of its notes changed without an event that announced the change. */
  readonly unannounced: number
  /** When the last event came. */
  readonly heardAt: number | null
}

/** The progress after a page. */
export function progressAfterPage(progress: MirrorProgress, page: ListedPage, counts: PageCounts): MirrorProgress {
  switch (page.phase) {
    case 'backfill':
    case 'poll': {
      const { poll } = progress
      const { heardAt, unannounced } = counts
      const before = heardAt === poll.heardAt ? poll.unannounced : 0
      const counted = { heardAt, unannounced: before + (page.phase === 'poll' ? unannounced : 0) }
      return { ...progress, poll: { ...poll, ...counted, checkpoint: page.checkpoint, isUnderWay: true } }
    }
    case 'scan': {
      const scan = scanOf(progress)
      const { cursor } = page
      const counted = { seen: scan.seen + counts.live, kept: scan.kept + counts.shownBefore }
      return { ...progress, scan: { ...scan, ...counted, cursor, phase: cursor === null ? 'listed' : 'listing' } }
    }
    case 'confirming': {
      const scan = scanOf(progress)
      const { cursor } = page
      const confirmation = scan.confirmation && { ...scan.confirmation, cursor, isComplete: cursor === null }
      return { ...progress, scan: { ...scan, confirmation } }
    }
  }
}

/** The scan that is under way. */
export function scanOf({ scan }: MirrorProgress): ScanProgress {
  if (scan === null) throw new Error('no scan is under way')
  return scan
}
