import type { Context } from 'hono'
import { html } from 'hono/html'
import type { ServiceParts } from '../api/service-parts.ts'
import { newestNotes, type OwnedNote } from '../control/note-operations.ts'
import type { NoteRecord, Place } from '../world/note.ts'
import type { Owners } from '../world/owners.ts'
import type { World } from '../world/world.ts'
import { logLinks } from './links.ts'
import { A_PAGE, linkWith } from './log-view.ts'
import { ownerCell, ownerChoice, ownerHead, ownerName } from './owner-choice.ts'
import { actButton, controlForm, emptyList, facts, type Html, instant, losingAct, mark, page } from './page.ts'

export function placeName(world: World, place: Place): string {
  if (place === 'personal') return 'Personal'
  return world.channels().find(({ channel_id }) => channel_id === place)?.name ?? place
}

export function notesPage(parts: ServiceParts, context: Context): Html {
  const { owner_id, world, select, field } = ownerChoice(parts.owners, context)
  const skip = Math.max(0, Number.parseInt(context.req.query('skip') ?? '', 10) || 0)
  const { notes, more } = newestNotes(parts.owners, owner_id, { skip, limit: A_PAGE })
  const fields = html`<label>Title <input name="title" placeholder="Empty: a plausible title" /></label>
    <label>Content <textarea name="content" rows="2"></textarea></label>
    ${placeSelect(world)} ${field}
    <div><button class="primary">Record</button></div>`
  return page(parts, {
    title: 'Notes',
    section: 'Notes',
    owner_id,
    content: html`
      <div class="heading"><h1>Notes</h1>${select}</div>
      <details class="card form" ${notes.length === 0 ? html`open` : ''}>
        <summary>Record a note</summary>
        ${controlForm('', 'POST /control/notes', '/console/notes/{note_id}', fields)}
      </details>
      <section id="notes" data-live>
        ${notes.length === 0 ? emptyList('No notes yet', 'Record a note and end its session. Then the first event is sent.') : noteTable(parts, notes)}
        ${more ? html`<p><a class="button" href="${linkWith(context, { skip: String(skip + A_PAGE) })}">Older notes</a></p>` : ''}
      </section>`,
  })
}

function noteTable({ owners }: ServiceParts, notes: readonly OwnedNote[]): Html {
  return html`<table class="notes">
    <thead><tr><th>Note</th>${ownerHead(owners)}<th>Where</th><th>Status</th><th>Revision</th><th>Updated</th><th class="acts">Actions</th></tr></thead>
    <tbody>${notes.map((each) => noteRow(owners, each))}</tbody>
  </table>`
}

function noteRow(owners: Owners, { world, note }: OwnedNote): Html {
  const { note_id, revision, updated_at, place, sessions } = note
  const underWay = sessions.find(({ ended }) => !ended)
  return html`<tr>
    <td class="main"><a id="${note_id}" href="/console/notes/${note_id}">${titleOf(note)}</a>
      <span class="dim">${note_id}</span></td>
    ${ownerCell(owners, world.owner_id)}
    <td>${placeName(world, place)}</td>
    <td>${noteMark(note)}</td>
    <td class="number"><span class="label">revision</span> ${revision}</td>
    <td class="when">${instant(updated_at)}</td>
    <td class="acts">${underWay === undefined ? '' : endButton(note_id, underWay.recording_session_id, note_id, 'plain')}</td>
  </tr>`
}

function endButton(note_id: string, recording_session_id: string, id: string, look: 'plain' | 'primary'): Html {
  const operation = `POST /control/notes/${note_id}/sessions/${recording_session_id}/end`
  return actButton(`end-${id}`, operation, `/console/notes/${note_id}`, 'End session', { look })
}

/** A note with its recording sessions; `MockServerError` `note_unknown` if there is none with this identifier. */
export function notePage(parts: ServiceParts, note_id: string): Html {
  const world = parts.owners.ofNote(note_id)
  const note = world.note(note_id)
  const { title, status } = note
  return page(parts, {
    title: title ?? 'Note',
    section: 'Notes',
    content: html`
      <p class="up"><a href="/console/notes">Notes</a></p>
      <section id="note" data-live>
        <div class="heading"><h1>${titleOf(note)} ${noteMark(note)}</h1>
          <div class="acts">${logLinks('note', note_id)}</div></div>
        ${facts([
          ['Identifier', html`<code>${note_id}</code>`],
          ['Revision', note.revision],
          ['Owner', ownerName(parts.owners, world.owner_id)],
          ['Where', placeName(world, note.place)],
          ['Transcript', note.transcript_status],
          ['Summary', note.summary_status],
          ['Updated', instant(note.updated_at)],
        ])}
        ${status === 'deleted' ? deletedNote() : html`<h2>Recording sessions</h2>${sessionList(note)}`}
      </section>
      ${status === 'deleted' ? '' : acts(world, note)}`,
  })
}

function deletedNote(): Html {
  return emptyList(
    'This note was deleted',
    html`Its tombstone is in the list of notes with <code>include_deleted=true</code>.`,
  )
}

function sessionList({ note_id, sessions }: NoteRecord): Html {
  return html`<ul class="rows">
    ${sessions.map(
      ({ recording_session_id: id, ended }) => html`<li><code>${id}</code>
        ${ended ? html`<span class="dim">ended</span>` : endButton(note_id, id, id, 'primary')}</li>`,
    )}
    <li>${actButton('record', `POST /control/notes/${note_id}/sessions`, `/console/notes/${note_id}`, 'Start another session')}</li>
  </ul>`
}

function acts(world: World, { note_id, title, content, place }: NoteRecord): Html {
  const shown = `/console/notes/${note_id}`
  const note = `/control/notes/${note_id}`
  const edit = html`<h2>Edit</h2>
    <label>Title <input name="title:null" value="${title ?? ''}" /></label>
    <label>Content <textarea name="content:null" rows="4">${content ?? ''}</textarea></label>
    <div><button>Save</button></div>`
  const move = html`<h2>Move</h2>
    <p class="dim">Integrations that lose access are sent <code>note.deleted</code> with the reason <code>access_lost</code>.</p>
    ${placeSelect(world, place)}
    <div><button>Move</button></div>`
  return html`
    <section class="columns">
      ${controlForm('card', `PATCH ${note}`, shown, edit)}
      <div class="card">
        ${controlForm('', `POST ${note}/move`, shown, move)}
        ${losingAct('delete', `DELETE ${note}`, shown, 'Delete this note …', 'Delete note')}
      </div>
    </section>`
}

function titleOf({ title, status }: NoteRecord): Html | string {
  if (title !== null && title !== '') return title
  return html`<em>${status === 'deleted' ? 'Deleted' : 'Untitled'}</em>`
}

function noteMark({ status, sessions }: NoteRecord): Html {
  if (status === 'deleted') return mark('quiet', 'deleted')
  if (sessions.some(({ ended }) => !ended)) return mark('waiting', 'recording')
  return mark(status === 'ended' ? 'good' : 'waiting', status)
}

function placeSelect(world: World, chosen: Place = 'personal'): Html {
  const option = (place: Place) =>
    html`<option value="${place}" ${place === chosen ? html`selected` : ''}>${placeName(world, place)}</option>`
  return html`<label>Where <select name="place">
    ${option('personal')} ${world.channels().map(({ channel_id }) => option(channel_id))}
  </select></label>`
}
