import type { NoteEventKind } from '@notewire/protocol'
import type { Context } from '../context/context.ts'
import { failureOf } from '../errors/failure.ts'
import { timingOf, triggerEvent } from '../mock-console/trigger-event.ts'
import type { RegisteringService } from './find-service.ts'

const NOTE_KEYS: Readonly<Record<string, NoteEventKind>> = { e: 'note.ended', u: 'note.updated', d: 'note.deleted' }

/**
 * Sends events at the press of a key: events about notes from a mock service, `endpoint.test` from every service.
 *
 * @returns what to call with each key
 */
export function eventKeys(
  { client, local }: RegisteringService,
  endpointId: string,
  isVerified: () => boolean,
  { output, signal }: Pick<Context, 'output' | 'signal'>,
): (key: string) => void {
  let noteId: string | undefined

  async function send(key: string): Promise<void> {
    const kind = NOTE_KEYS[key]
    if (key === 't') await client.webhookEndpoints.sendTest(endpointId, { signal })
    else if (kind === undefined || local === undefined) explain()
    else await sendAboutNote(kind, local.baseUrl)
  }

  async function sendAboutNote(kind: NoteEventKind, baseUrl: string): Promise<void> {
    if (!isVerified()) return output.tell('The service sends events about notes once the application is verified.')
    const trigger = { event_type: kind, note_id: kind === 'note.ended' ? undefined : noteId }
    const { note_id } = await triggerEvent(baseUrl, trigger, signal)
    noteId = kind === 'note.deleted' ? undefined : note_id
    output.tell(`${kind} about ${note_id}. ${timingOf(kind)}`)
  }

  function explain(): void {
    const ofNotes = local === undefined ? '' : 'e end a new note, u edit it, d delete it, '
    output.tell(`Keys: ${ofNotes}t send endpoint.test, q quit`)
  }

  explain()
  return (key) => {
    send(key).catch((error: unknown) => {
      if (!signal.aborted) output.warn(failureOf(error).message)
    })
  }
}
