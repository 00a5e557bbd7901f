import { html } from 'hono/html'
import type { NoteRecord } from '../world/note-record.ts'
import type { Place } from '../world/place.ts'
import type { World } from '../world/world.ts'
import { mark } from './delivery-status.ts'
import type { Html } from './markup.ts'

/** The title of a note, or what stands for it. */
export function titleOf({ title, status }: NoteRecord): Html | string {
  if (title !== null && title !== '') return title
  return html`<em>${status === 'deleted' ? 'Deleted' : 'Without a title'}</em>`
}

/** Where a note stands in its life, and whether it is being recorded. */
export function noteMark({ status, sessions }: NoteRecord): Html {
  if (status === 'deleted') return mark('quiet', 'deleted')
  if (sessions.some(({ ended }) => !ended)) return mark('waiting', 'recording')
  return mark(status === 'ended' ? 'good' : 'waiting', status)
}

/** A place, by the name that the owner gave it. */
export function placeName(world: World, place: Place): string {
  if (place === 'personal') return 'Personal'
  return world.channels().find(({ channel_id }) => channel_id === place)?.name ?? place
}

/** Chooses among the personal notes and the channels. */
export function placeSelect(world: World, chosen: Place = 'personal'): Html {
  const option = (place: Place) =>
    html`<option value="${place}" ${place === chosen ? html`selected` : ''}>${placeName(world, place)}</option>`
  return html`<label>Where <select name="place">
    ${option('personal')} ${world.channels().map(({ channel_id }) => option(channel_id))}
  </select></label>`
}
