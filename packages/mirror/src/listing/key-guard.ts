import type { KeyIdentity, NotesClient } from '@notewire/client'
import type { MirrorSettings } from '../context/mirror-options.ts'
import { KeyChangedError, MirrorError } from '../interfaces/errors.ts'
import type { MirrorProgress } from '../interfaces/progress.ts'
import type { MirrorStore } from '../interfaces/store.ts'
import type { Ledger } from '../ledger/ledger.ts'

/** What the key is checked with. */
interface KeyContext extends Pick<MirrorSettings, 'client' | 'store' | 'integration'> {
  readonly ledger: Ledger
  /** The progress, if it is known. */
  readonly progress?: MirrorProgress | undefined
}

/**
 * Checks the client's key before any note is read with it: what another key cannot see proves nothing. Records the key if none is.
 *
 * @returns the identity of the key
 * @throws KeyChangedError when the notes were listed with another key, or with a key that is not recorded
 * @throws MirrorError `key_unidentified`
 */
export async function requireKey({ client, store, integration, ledger, ...known }: KeyContext): Promise<KeyIdentity> {
  const progress = known.progress ?? (await store.readProgress(integration)).progress
  const key = await identifyKey(client, progress.copyId ?? (await nameCopy(ledger)))
  if (recordedKey(progress) !== null) {
    refuseOtherKey(integration, recordedKey(progress), key)
    return key
  }
  const isUsed = await holdsNotes(store, integration, progress)
  await ledger.advance(({ progress: latest }) => {
    // Another process may have recorded its key meanwhile, and the notes may have been listed with that one.
    const recorded = recordedKey(latest)
    if (recorded !== null || isUsed) refuseOtherKey(integration, recorded, key)
    return recorded === null ? { ...latest, key } : undefined
  })
  return key
}

/** Replaces the key that the notes were listed with. A scan under way begins anew: the other key may have seen more. */
export async function adoptKey({ client, ledger }: KeyContext): Promise<void> {
  const key = await identifyKey(client, await nameCopy(ledger))
  await ledger.advance(({ progress }) => ({ ...progress, key, scan: null }))
}

/** Gives the copy a name if it has none. */
export async function nameCopy(ledger: Ledger): Promise<string> {
  const name = crypto.randomUUID()
  const { progress } = await ledger.advance(({ progress }) =>
    progress.copyId === null ? { ...progress, copyId: name } : undefined,
  )
  return progress.copyId ?? name
}

/**
 * Refuses a key that is not the one that the notes were listed with.
 *
 * @throws KeyChangedError
 */
export function refuseOtherKey(integration: string, recorded: KeyIdentity | null, given: KeyIdentity): void {
  if (recorded === null || !isSameKey(recorded, given)) throw new KeyChangedError(integration, recorded, given)
}

/** The key that is recorded. An earlier version recorded none, or in another field. */
export function recordedKey({ key }: MirrorProgress): KeyIdentity | null {
  return isIdentity(key) ? key : null
}

/** Whether anything was listed or read, so that some key was used. */
export async function holdsNotes(store: MirrorStore, integration: string, { poll }: MirrorProgress): Promise<boolean> {
  if (poll.checkpoint !== null || poll.backfilledAt !== null) return true
  return (await store.count(integration)).live > 0
}

/**
 * Identifies the key of a client. Two keys that cannot be identified are never taken for the same.
 *
 * @param copyId  the salt of the digest of a key without an id
 * @throws MirrorError `key_unidentified` when the client, which may be an object of the user's own, returns no identity
 */
async function identifyKey(client: NotesClient, copyId: string): Promise<KeyIdentity> {
  let identity: unknown
  try {
    identity = await client.identifyKey(copyId)
  } catch {
    // The error is dropped: if the client is an object of the user's own, its error may hold the key.
  }
  if (isIdentity(identity)) return identity
  throw new MirrorError(
    'key_unidentified',
    'the client does not identify its API key, so the mirror would not notice another key and would remove the notes that the other key cannot access. ' +
      "Pass a NotesClient, or make identifyKey(salt) of your client resolve to { kind: 'key_id', keyId } or { kind: 'digest', digest }.",
  )
}

function isSameKey(one: KeyIdentity, other: KeyIdentity): boolean {
  if (one.kind === 'key_id') return other.kind === 'key_id' && one.keyId === other.keyId
  return other.kind === 'digest' && one.digest === other.digest
}

function isIdentity(value: unknown): value is KeyIdentity {
  if (typeof value !== 'object' || value === null) return false
  const { kind, keyId, digest } = value as Readonly<Record<string, unknown>>
  if (kind === 'key_id') return typeof keyId === 'string' && keyId !== ''
  return kind === 'digest' && typeof digest === 'string' && digest !== ''
}
