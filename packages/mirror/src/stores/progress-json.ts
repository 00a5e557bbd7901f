import type { CompletedFullListing, FullListingProgress, MirrorProgress } from '../integrations/progress.ts'

/** The progress of listings in the column `progress`, with the names that version 0.1.0 gave to the full listing. */
interface ProgressJson extends Omit<MirrorProgress, 'fullListing' | 'lastFullListing'> {
  readonly scan: FullListingJson<FullListingProgress> | null
  readonly lastScan: FullListingJson<CompletedFullListing> | null
}

type FullListingJson<Listing> = Omit<Listing, 'fullListingId'> & { readonly scanId: string }

/** A row with the progress as it is stored. */
export type StoredProgress<Row extends { readonly progress: MirrorProgress }> = Omit<Row, 'progress'> & {
  readonly progress: ProgressJson
}

export function progressJson({ fullListing, lastFullListing, ...progress }: MirrorProgress): ProgressJson {
  return {
    ...progress,
    scan: fullListing && listingJson(fullListing),
    lastScan: lastFullListing && listingJson(lastFullListing),
  }
}

/** Reads a row with a progress. */
export function withProgress<Row extends { readonly progress: ProgressJson }>(
  row: Row,
): Omit<Row, 'progress'> & { readonly progress: MirrorProgress } {
  const { scan, lastScan, ...known } = row.progress
  const listings = { fullListing: scan && listingIn(scan), lastFullListing: lastScan && listingIn(lastScan) }
  return { ...row, progress: { ...known, ...listings } }
}

function listingJson<Listing extends { readonly fullListingId: string }>({ fullListingId, ...listing }: Listing) {
  return { ...listing, scanId: fullListingId }
}

function listingIn<Listing extends { readonly scanId: string }>({ scanId, ...listing }: Listing) {
  return { ...listing, fullListingId: scanId }
}
