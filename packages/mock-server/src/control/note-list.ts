import type { NoteRecord } from '../world/note.ts'
import type { Owners } from '../world/owners.ts'
import type { World } from '../world/world.ts'

export interface OwnedNote {
  readonly world: World
  readonly note: NoteRecord
}

export function newestNotes(
  owners: Owners,
  owner_id: string | undefined,
  { skip, limit }: { readonly skip: number; readonly limit: number },
): { readonly notes: readonly OwnedNote[]; readonly more: boolean } {
  const found = owners
    .only(owner_id)
    .flatMap((world) => world.notes.newest(skip + limit + 1).map((note) => ({ world, note })))
    .toSorted((one, other) => other.note.created_at - one.note.created_at)
  return { notes: found.slice(skip, skip + limit), more: found.length > skip + limit }
}
