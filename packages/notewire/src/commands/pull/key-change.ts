import type { NotesClient } from '@notewire/client'
import { KeyChangedError } from '@notewire/mirror'
import type { Context } from '../../context/context.ts'
import { CommandError } from '../../errors/failure.ts'
import type { CopyFile, KeptCopy } from '../../local-copy/local-copy.ts'

/**
 * Explains the mirror's `KeyChangedError` as a `CommandError`. Other errors are returned unchanged.
 *
 * @throws ApiError if the service rejects the key
 */
export async function keyErrorOf(
  error: unknown,
  client: NotesClient,
  { label, pull }: CopyFile,
  signal: AbortSignal,
): Promise<unknown> {
  if (!(error instanceof KeyChangedError)) return error
  await firstNotes(client, 1, signal)
  const message = `${madeWith(error, label)}, but this key is ${givenKey(error, client)}. If both keys can access the same notes, run ${pull} --adopt-key. Otherwise pull into a copy of its own: notewire pull --integration <id>, or --database other.db`
  return new CommandError('key_changed', message)
}

function givenKey({ keyId }: KeyChangedError, client: NotesClient): string {
  if (client.keyId === undefined) return 'a key without a key id'
  return client.keyId === keyId ? 'another one with the same key id and another secret' : client.keyId
}

function madeWith({ recorded, keyId }: KeyChangedError, copy: string): string {
  switch (recorded) {
    case 'key_id':
      return `the copy in ${copy} was created with the API key ${keyId}`
    case 'digest':
      return `the copy in ${copy} was created with another API key that has no key id`
    case 'nothing':
      return `the copy in ${copy} does not record the API key that created it`
  }
}

/**
 * Protects a copy of version 0.1.0, which recorded the id of its key alone: the author of a `.env` could bring a key with this id, and a service
 * that accepts it.
 *
 * @throws CommandError `key_changed` if `.env` names the service, and the copy lies elsewhere
 */
export async function requireOwnService(
  { mirror, file, hasKeyIdAlone }: KeptCopy,
  { settings }: Context,
): Promise<void> {
  if (!(await hasKeyIdAlone()) || !(await settings.isServiceOfAnotherFolder(file.absolute))) return
  const { live, hidden } = (await mirror.status()).notes
  if (live + hidden === 0) return
  const message = `the copy in ${file.label} was last updated by version 0.1.0, which did not record the whole API key, so this pull cannot check that it uses the same key. The URL of the service comes from .env, and the copy is outside this folder. If this service is the one that the copy was made from, name it once with --base-url.`
  throw new CommandError('key_changed', message)
}

/**
 * Records this key as the key of the copy. It must see some notes of the copy, because the next full listing removes all others.
 */
export async function adoptKey(
  client: NotesClient,
  { mirror, file }: KeptCopy,
  { signal, output }: Pick<Context, 'signal' | 'output'>,
): Promise<void> {
  const key = client.keyId === undefined ? 'this key (it has no key id)' : `the key ${client.keyId}`
  const noteIds = await firstNotes(client, 100, signal)
  const { notes } = await mirror.status()
  const known = await Promise.all(noteIds.map((noteId) => mirror.get(noteId)))
  if (notes.live > 0 && known.every((note) => note === undefined)) {
    const message = `none of the first ${noteIds.length} notes that ${key} sees are in ${file.shown}, so a pull with it would remove the notes of the copy. Pull into a copy of its own: notewire pull --integration <id>, or --database other.db`
    throw new CommandError('key_sees_others', message)
  }
  await mirror.adoptKey()
  output.tell(`${file.shown} now belongs to ${key}.`)
}

export async function firstNotes(client: NotesClient, limit: number, signal: AbortSignal): Promise<readonly string[]> {
  for await (const { notes, leftOut } of client.notes.list({ limit }, { signal }).pages()) {
    return [...notes, ...leftOut].flatMap(({ note_id = [] }) => note_id)
  }
  return []
}
