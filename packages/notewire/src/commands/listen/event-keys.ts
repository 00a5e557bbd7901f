import type { NotesClient } from '@notewire/client'
import type { NoteEventKind } from '@notewire/protocol'
import type { Context } from '../../context/context.ts'
import { failureOf } from '../../errors/failure.ts'
import { control } from '../mock-control.ts'

const NOTE_KEYS: Readonly<Record<string, NoteEventKind>> = { e: 'note.ended', u: 'note.updated', d: 'note.deleted' }

/**
 * Sends events at the press of a key.
 *
 * @param mockUrl  of a mock service, which also sends events about notes
 * @returns what to call with each key
 */
export function eventKeys(
  { webhookEndpoints }: NotesClient,
  endpointId: string,
  mockUrl: string | undefined,
  { output, signal }: Pick<Context, 'output' | 'signal'>,
): (key: string) => void {
  let note_id: string | undefined

  async function send(key: string): Promise<void> {
    const event_type = NOTE_KEYS[key]
    if (key === 't') await webhookEndpoints.sendTest(endpointId, { signal })
    else if (event_type === undefined || mockUrl === undefined) explain()
    else {
      const wanted = { event_type, note_id: key === 'e' ? undefined : note_id }
      const triggered = await control<{ readonly note_id: string }>(mockUrl, '/control/trigger', wanted, signal)
      note_id = key === 'd' ? undefined : triggered.note_id
    }
  }

  function explain(): void {
    const ofNotes = 'e end a note, u edit it (sent 5 s later), d delete it, '
    output.tell(`Keys: ${mockUrl === undefined ? '' : ofNotes}t test, q quit`)
  }

  explain()
  return (key) => {
    send(key).catch((error: unknown) => {
      if (!signal.aborted) output.warn(failureOf(error).message)
    })
  }
}
