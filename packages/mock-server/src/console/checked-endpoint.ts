import { isNoteEventKind, NOTE_EVENT_KINDS, type NoteEventKind, OptionError } from '@notewire/protocol'
import type { Courier } from '../delivery/courier.ts'

/**
 * The URL that somebody typed for an endpoint.
 *
 * @throws `OptionError` for one that the API would refuse, too
 */
export async function checkedUrl(text: string, courier: Courier): Promise<string> {
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '') {
    throw new OptionError('url', 'the URL must be absolute, and hold no user name or password. Go back and correct it.')
  }
  const refusal = await courier.refusalOf(url)
  if (refusal !== undefined) throw new OptionError('url', `${refusal} Go back and correct it.`)
  return text
}

/**
 * The event kinds that somebody ticked for an endpoint.
 *
 * @throws `OptionError` when there is none
 */
export function checkedEvents(events: readonly string[]): readonly NoteEventKind[] {
  const kinds = events.filter(isNoteEventKind)
  if (kinds.length > 0) return kinds
  throw new OptionError(
    'events',
    `an endpoint needs an event kind, out of ${NOTE_EVENT_KINDS.join(', ')}. Go back and tick one.`,
  )
}
