import type { NotesClient } from '@notewire/client'
import { KeyChangedError, type Mirror } from '@notewire/mirror'
import { CopyError } from '../local-copy/copy-error.ts'
import type { CopyFile } from '../local-copy/copy-file.ts'
import type { KeptCopy } from '../local-copy/open-copy.ts'

/**
 * Puts the mirror's refusal of another key into the words of the command line. Every other error is left as it is.
 *
 * @throws ApiError when the service does not even know the key
 */
export async function explainedKey(
  error: unknown,
  client: NotesClient,
  { shown }: CopyFile,
  signal: AbortSignal,
): Promise<unknown> {
  if (!(error instanceof KeyChangedError)) return error
  await firstNotes(client, 1, signal)
  return new CopyError(
    'key_changed',
    `the copy in ${shown} was made with the API key ${error.keyId}, and this is ${client.keyId ?? 'one without an id'}. If the new key replaces the old one and sees the same notes, let it take over: notewire pull --adopt-key. If it sees others, give it a database of its own: notewire pull --database other.db`,
  )
}

/**
 * Lets the key take over the copy, provided that it sees some of its notes: what another key does not see would be taken for deleted.
 *
 * @throws CopyError `key_sees_others`
 */
export async function adoptKey(client: NotesClient, { mirror, file }: KeptCopy, signal: AbortSignal): Promise<void> {
  const noteIds = await firstNotes(client, 100, signal)
  const { notes } = await mirror.status()
  if (notes.live > 0 && !(await holdsAny(mirror, noteIds))) {
    throw new CopyError(
      'key_sees_others',
      `the key ${client.keyId} sees none of the notes in ${file.shown} among the first ${noteIds.length} that the service shows, so that pulling with it would remove them. Give it a database of its own: notewire pull --database other.db`,
    )
  }
  await mirror.adoptKey()
}

async function firstNotes(client: NotesClient, limit: number, signal: AbortSignal): Promise<readonly string[]> {
  for await (const { notes } of client.notes.list({ limit }, { signal }).pages()) {
    return notes.map(({ note_id }) => note_id)
  }
  return []
}

async function holdsAny(mirror: Mirror, noteIds: readonly string[]): Promise<boolean> {
  for (const noteId of noteIds) {
    if ((await mirror.get(noteId)) !== undefined) return true
  }
  return false
}
