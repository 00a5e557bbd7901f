import { type EventKind, NotewireError } from '@notewire/protocol'
import { ConsoleError, type ConsoleVisitor } from './console-visitor.ts'
import { contentOf, endpointsOn, placesOf, sessionsUnderWay } from './page-text.ts'

/** What is wanted of an event. */
export interface WantedEvent {
  readonly kind: Exclude<EventKind, 'endpoint.verification'>
  /** The note that it is to be about; a new one otherwise. */
  readonly note: string | undefined
  readonly title: string | undefined
  /** Why a note is gone. */
  readonly reason: 'deleted' | 'access_lost'
  /** The endpoint that it is to be sent to; all otherwise. */
  readonly endpoint: string | undefined
}

/** What was done so that an event happens. */
export interface Triggered {
  readonly event_type: EventKind
  readonly note_id?: string
  readonly endpoint_ids?: readonly string[]
  /** What else there is to know, in words. */
  readonly timing: string
}

/** Does, as the owner of the notes, what makes an event of that kind happen (contract §6). */
export async function trigger(wanted: WantedEvent, visitor: ConsoleVisitor): Promise<Triggered> {
  switch (wanted.kind) {
    case 'note.ended':
      return aboutNote(
        wanted,
        await endedNote(wanted, visitor),
        'It leaves at once; note.summary.generated follows in 5 to 30 s.',
      )
    case 'note.summary.generated':
      return aboutNote(
        wanted,
        await endedNote(wanted, visitor),
        'note.ended leaves at once, the summary follows in 5 to 30 s.',
      )
    case 'note.updated': {
      const note = wanted.note ?? (await endedNote(wanted, visitor))
      await retitle(note, wanted.title ?? `Edited ${new Date().toISOString()}`, visitor)
      return aboutNote(wanted, note, 'Edits close together are one event: it leaves 5 s after the last.')
    }
    case 'note.deleted': {
      const note = wanted.note ?? (await endedNote(wanted, visitor))
      await (wanted.reason === 'deleted'
        ? visitor.send(`/console/notes/${encodeURIComponent(note)}/delete`)
        : moveAway(note, visitor))
      return aboutNote(wanted, note, 'It leaves at once.')
    }
    case 'endpoint.test':
      return {
        event_type: wanted.kind,
        endpoint_ids: await testEndpoints(wanted, visitor),
        timing: 'It leaves at once.',
      }
  }
}

function aboutNote({ kind }: WantedEvent, note_id: string, timing: string): Triggered {
  return { event_type: kind, note_id, timing }
}

/** A note with a session that has just ended. */
async function endedNote({ note, title = '' }: WantedEvent, visitor: ConsoleVisitor): Promise<string> {
  const path =
    note === undefined
      ? await visitor.send('/console/notes', { title, content: '', place: 'personal' })
      : `/console/notes/${encodeURIComponent(note)}`
  let [session] = sessionsUnderWay(await visitor.read(path))
  if (session === undefined) {
    await visitor.send(`${path}/record`)
    ;[session] = sessionsUnderWay(await visitor.read(path))
  }
  if (session === undefined) throw new ConsoleError('the console shows no session to end. Was the note deleted?')
  await visitor.send(`${path}/end`, { recording_session_id: session })
  return decodeURIComponent(path.slice('/console/notes/'.length))
}

/** The form has both, title and content: what is not to change is sent as it is. */
async function retitle(note: string, title: string, visitor: ConsoleVisitor): Promise<void> {
  const path = `/console/notes/${encodeURIComponent(note)}`
  await visitor.send(`${path}/edit`, { title, content: contentOf(await visitor.read(path)) })
}

/** Out of sight of the keys that see it: into another channel, or one that is made for it. */
async function moveAway(note: string, visitor: ConsoleVisitor): Promise<void> {
  const path = `/console/notes/${encodeURIComponent(note)}`
  if (placesOf(await visitor.read(path)).length < 2) await visitor.send('/console/channels', { name: 'Elsewhere' })
  const [place] = placesOf(await visitor.read(path))
  if (place === undefined) throw new ConsoleError('the note cannot be moved. Was it deleted?')
  await visitor.send(`${path}/move`, { place })
}

async function testEndpoints({ endpoint }: WantedEvent, visitor: ConsoleVisitor): Promise<readonly string[]> {
  const ids = endpoint === undefined ? endpointsOn(await visitor.read('/console/endpoints')) : [endpoint]
  if (ids.length === 0) throw noEndpoint()
  for (const id of ids) await visitor.send(`/console/endpoints/${encodeURIComponent(id)}/test`)
  return ids
}

/** Says how there comes to be one. */
export function noEndpoint(): NotewireError<'endpoint_missing'> {
  const message = 'the service has no endpoint to send to. Register one first: notewire listen --register'
  return new NotewireError('endpoint_missing', message)
}
