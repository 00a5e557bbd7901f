import { isTombstone, type NotesClient, NotFoundError, noteHandlers } from '@notewire/client'
import type { Clock } from '@notewire/protocol'
import { createReceiver } from '@notewire/webhooks'
import { type Copy, copiedNote } from './copy.ts'

/** A receiver of Notewire that keeps a copy, as in the guide to `noteHandlers`. */
export function notewireReceiver(
  client: NotesClient,
  copy: Copy,
  { secrets, clock, beforeWrite }: { secrets: () => string[]; clock: Clock; beforeWrite: () => void },
) {
  return createReceiver({
    secret: secrets,
    clock,
    logger: { info: ignore, warn: ignore, error: ignore },
    ...noteHandlers(client, {
      changed: ({ note, transcript, summary }) => {
        beforeWrite()
        copy.set(note.note_id, copiedNote(note, transcript.text, summary.markdown))
      },
      removed: ({ noteId }) => {
        beforeWrite()
        copy.delete(noteId)
      },
    }),
  })
}

/** The daily full listing: it finds what no event announced. Without it, a change whose event was lost stays unknown. */
export async function reconcile(client: NotesClient, copy: Copy): Promise<void> {
  const listed = new Set<string>()
  for await (const { note, transcript, summary } of client.notes.listWithContent({ include_deleted: true })) {
    if (isTombstone(note)) continue
    listed.add(note.note_id)
    const texts = [
      transcript.status === 'ready' ? transcript.transcript.text : null,
      summary.status === 'ready' ? summary.summary.markdown : null,
    ] as const
    copy.set(note.note_id, copiedNote(note, ...texts))
  }
  for (const noteId of copy.keys()) {
    if (!listed.has(noteId) && (await isGone(client, noteId))) copy.delete(noteId)
  }
}

/** Fetches a missing note once more: it may have become visible after its page was listed. */
async function isGone(client: NotesClient, noteId: string): Promise<boolean> {
  try {
    return isTombstone(await client.notes.get(noteId))
  } catch (error) {
    if (error instanceof NotFoundError) return true
    throw error
  }
}

function ignore(): undefined {
  return undefined
}
