import type { KeyIdentity, NotesClient } from '@notewire/client'
import type { MirrorSettings } from '../context/mirror-options.ts'
import { KeyChangedError, MirrorError } from '../interfaces/errors.ts'
import type { MirrorProgress } from '../interfaces/progress.ts'
import type { MirrorStore } from '../interfaces/store.ts'
import type { Ledger } from '../ledger/ledger.ts'

interface KeyContext extends Pick<MirrorSettings, 'client' | 'store' | 'integration'> {
  readonly ledger: Ledger
}

/**
 * Checks the client's key before any note is read with it, because another key may not see the same notes. Records the key if none is
 * recorded.
 *
 * @param progress  the progress that was just read
 * @returns the identity of the key
 * @throws KeyChangedError when the notes were listed with another key, or with a key that is not recorded
 * @throws MirrorError `key_unidentified`
 */
export async function requireKey(
  { client, store, integration, ledger }: KeyContext,
  progress: MirrorProgress,
): Promise<KeyIdentity> {
  const key = await identifyKey(client, progress.copyId ?? (await ensureCopyId(ledger)))
  if (recordedKey(progress) !== null) {
    refuseOtherKey(integration, recordedKey(progress), key)
    return key
  }
  const isUsed = await hasListedNotes(store, integration, progress)
  await ledger.advance(({ progress: latest }) => {
    // Another process may have recorded its key meanwhile, and the notes may have been listed with that one.
    const recorded = recordedKey(latest)
    if (recorded !== null || isUsed) refuseOtherKey(integration, recorded, key)
    return recorded === null ? { ...latest, key } : undefined
  })
  return key
}

/** Replaces the recorded key. A scan under way is restarted, because the previous key may have seen more notes. */
export async function adoptKey({ client, ledger }: KeyContext): Promise<void> {
  const key = await identifyKey(client, await ensureCopyId(ledger))
  await ledger.advance(({ progress }) => ({ ...progress, key, scan: null }))
}

/** Returns the id of the copy. Creates one if the copy has none. */
export async function ensureCopyId(ledger: Ledger): Promise<string> {
  const copyId = crypto.randomUUID()
  const { progress } = await ledger.advance(({ progress }) =>
    progress.copyId === null ? { ...progress, copyId } : undefined,
  )
  return progress.copyId ?? copyId
}

/**
 * Refuses a key that is not the one that the notes were listed with.
 *
 * @throws KeyChangedError
 */
export function refuseOtherKey(integration: string, recorded: KeyIdentity | null, given: KeyIdentity): void {
  if (recorded === null || !isSameKey(recorded, given)) throw new KeyChangedError(integration, recorded, given)
}

/** The recorded key. An earlier version recorded no key, or recorded it in another field. */
export function recordedKey({ key }: MirrorProgress): KeyIdentity | null {
  return isKeyIdentity(key) ? key : null
}

/** Whether notes were listed or read, so that a key was used. */
export async function hasListedNotes(
  store: MirrorStore,
  integration: string,
  { poll }: MirrorProgress,
): Promise<boolean> {
  if (poll.checkpoint !== null || poll.backfilledAt !== null) return true
  return (await store.count(integration)).live > 0
}

/**
 * Identifies the key of a client.
 *
 * @param copyId  the salt of the digest of a key without an id
 * @throws MirrorError `key_unidentified` when the client, which may be the user's own object, returns no identity
 */
async function identifyKey(client: NotesClient, copyId: string): Promise<KeyIdentity> {
  let identity: unknown
  try {
    identity = await client.identifyKey(copyId)
  } catch {
    // The error is dropped, because an error of the user's own client may contain the key.
  }
  if (isKeyIdentity(identity)) return identity
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

function isKeyIdentity(value: unknown): value is KeyIdentity {
  if (typeof value !== 'object' || value === null) return false
  const { kind, keyId, digest } = value as Readonly<Record<string, unknown>>
  if (kind === 'key_id') return typeof keyId === 'string' && keyId !== ''
  return kind === 'digest' && typeof digest === 'string' && digest !== ''
}
