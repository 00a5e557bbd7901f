import { NotesClient, type NotesClientOptions } from '@notewire/client'
import type { NotesService } from '@notewire/mock-server'
import { isTombstone, type NoteEvent } from '@notewire/protocol'
import { createReceiver } from '@notewire/webhooks'

export const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }

export function clientOf(service: NotesService, options: Partial<NotesClientOptions> = {}): NotesClient {
  return new NotesClient({ baseUrl: service.baseUrl, apiKey: service.apiKey, fetch: service.fetch, ...options })
}

/** Connects a receiver that reads the note of each event. Returns the revision of each note, which the receiver updates. */
export async function aCopy(service: NotesService, client: NotesClient): Promise<ReadonlyMap<string, number>> {
  const copy = new Map<string, number>()
  const refresh = async ({ data }: NoteEvent) => {
    try {
      const note = await client.notes.get(data.note_id)
      if (isTombstone(note)) copy.delete(data.note_id)
      else copy.set(data.note_id, note.revision)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'not_found')) throw error
      copy.delete(data.note_id)
    }
  }
  const on = {
    'note.ended': refresh,
    'note.summary.generated': refresh,
    'note.updated': refresh,
    'note.deleted': ({ data }: NoteEvent) => void copy.delete(data.note_id),
  }
  await service.connect((secret) => createReceiver({ secret, clock: service.clock, logger: quiet, on }).fetch)
  return copy
}

/** Records, edits, deletes and moves notes. Two of them stay visible. */
export function changeNotes(service: NotesService): void {
  const { owner } = service
  const team = owner.createChannel('Team')
  const [kept, edited, deleted, moved] = ['Kept', 'Edited', 'Deleted', 'Moved'].map((title) =>
    owner.record({ title }).end(),
  )
  kept?.record().end()
  edited?.edit({ title: 'Edited once' })
  edited?.edit({ title: 'Edited twice' })
  deleted?.delete()
  moved?.moveTo(team)
}

/** The current revision of each note, from the service. */
export async function revisionsAt(client: NotesClient): Promise<ReadonlyMap<string, number>> {
  const revisions = new Map<string, number>()
  for await (const { note_id, revision } of client.notes.list()) revisions.set(note_id, revision)
  return revisions
}
