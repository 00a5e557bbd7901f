import type { KeyIdentity } from '@notewire/client'
import { KeyChangedError } from '../errors.ts'
import type { EngineSettings, SyncContext } from '../fetching/sync.ts'
import type { CopyState, MirrorProgress } from '../integrations/progress.ts'
import { type Ledger, progressAlone } from '../ledger/ledger.ts'
import type { MirrorStore } from '../stores/mirror-store.ts'

export interface KeyContext extends Pick<EngineSettings, 'client' | 'store' | 'integration' | 'fence'> {
  readonly ledger: Ledger
}

/** A copy whose notes were listed with the client's key, or not listed yet. */
export interface CheckedCopy extends CopyState {
  readonly key: KeyIdentity
}

/**
 * Checks the client's key before any note is read with it, because another key may not see the same notes. Records the key if nothing was
 * listed before, even in place of another key, such as a mistyped one: only the worker with the lease of the integration may do this.
 *
 * @throws KeyChangedError when the notes were listed with another key, or with a key that is not recorded
 */
export async function recordKey(context: KeyContext, copy: CopyState): Promise<CheckedCopy> {
  const { client, store, integration, fence, ledger } = context
  const key = await identifyKey(client, fence.generation, copy.progress)
  if (isSameKey(copy.progress.key, key)) return { ...copy, key }
  if (await hasListedNotes(store, integration, copy.progress)) return await requireKey(context, copy)
  // The digest follows once a listing has succeeded, because the secret may be mistyped.
  const progress = { ...copy.progress, key: withoutDigest(key), fullListing: null }
  await ledger.commitKnown(progressAlone(progress))
  return { ...copy, progress, key }
}

/**
 * Checks the client's key, without the lease of the integration.
 *
 * @returns the state of the copy, and the client's key
 * @throws KeyChangedError when the notes were listed with another key, or with a key that is not recorded
 */
export async function requireKey(context: KeyContext, copy: CopyState): Promise<CheckedCopy> {
  const { client, store, integration, fence } = context
  const key = await identifyKey(client, fence.generation, copy.progress)
  // If the lease was lost, another worker may have recorded this key before it wrote notes.
  const current = isSameKey(copy.progress.key, key) ? copy : await store.readProgress(integration)
  if (!isSameKey(current.progress.key, key)) throw new KeyChangedError(integration, current.progress.key, key)
  return { ...current, key }
}

/** Replaces the recorded key. A full listing under way is restarted, because the previous key may have seen more notes. */
export async function adoptKey(context: KeyContext): Promise<void> {
  const { client, store, integration, fence, ledger } = context
  const { progress } = await store.readProgress(integration)
  const key = await identifyKey(client, fence.generation, progress)
  await ledger.commitKnown(progressAlone({ ...progress, key, fullListing: null }))
}

/** Whether the client's key must be recorded before work without the lease: nothing was listed, with this key or another. */
export async function awaitsKey(
  { client, store, integration }: Pick<KeyContext, 'client' | 'store' | 'integration'>,
  generation: string,
  { progress }: CopyState,
): Promise<boolean> {
  if (isSameKey(progress.key, await identifyKey(client, generation, progress))) return false
  return !(await hasListedNotes(store, integration, progress))
}

/** Whether a listing has begun to store notes, or the mirror shows a note. */
async function hasListedNotes(store: MirrorStore, integration: string, { poll }: MirrorProgress): Promise<boolean> {
  if (poll.checkpoint !== null || poll.backfilledAt !== null) return true
  return (await store.count(integration)).live > 0
}

/** Identifies the client's key. The salt of the digest is the id of the copy. */
async function identifyKey(
  client: KeyContext['client'],
  generation: string,
  { copyId }: MirrorProgress,
): Promise<KeyIdentity> {
  return await client.identifyKey(copyId ?? generation)
}

function withoutDigest(key: KeyIdentity): KeyIdentity {
  return key.kind === 'key_id' ? { kind: 'key_id', keyId: key.keyId } : key
}

/**
 * Returns progress to write after the service has accepted a request with the key: with the digest of the key, if its id alone is recorded, by
 * version 0.1.0 or before the first listing. Also with the base URL of the service.
 */
export function withAcceptedKey(
  progress: MirrorProgress,
  { key: given, client }: Pick<SyncContext, 'key' | 'client'>,
): MirrorProgress {
  const { key } = progress
  const isIdAlone = key?.kind === 'key_id' && key.digest === undefined
  return { ...progress, key: isIdAlone && isSameKey(key, given) ? given : key, baseUrl: client.baseUrl }
}

function isSameKey(one: KeyIdentity | null, other: KeyIdentity): boolean {
  if (one?.kind === 'key_id') {
    if (other.kind !== 'key_id' || one.keyId !== other.keyId) return false
    return one.digest === undefined || other.digest === undefined || one.digest === other.digest
  }
  return one?.kind === 'digest' && other.kind === 'digest' && one.digest === other.digest
}
