import { identifyWithAccess } from './access-identity.ts'
import type { NoteSource } from './fetch-note.ts'

/** About 5 MB. Of more integrations, those whose notes were returned least recently count as unproven again. */
const MOST_PROVEN = 50_000

/**
 * The keys that are proven in this process: digests of an integration, a base URL and an API key, the most recent proof last. Not kept for
 * each client or each call of `noteHandlers`, because an application may make both for each event.
 */
const proven = new Set<string>()

/** Whether the API key of a client belongs to the events of an integration. */
export interface KeyProof {
  readonly isProven: () => boolean
  /** Records that the service returned a note to the key that an event of the integration named. */
  readonly record: () => void
}

export async function keyProofOf(source: NoteSource, integration: string): Promise<KeyProof> {
  const digest = await identifyWithAccess(source, [source.notes, source.serviceTime], integration)
  return {
    isProven: () => proven.has(digest),
    record() {
      proven.delete(digest)
      proven.add(digest)
      for (const oldest of proven) {
        if (proven.size <= MOST_PROVEN) break
        proven.delete(oldest)
      }
    },
  }
}
