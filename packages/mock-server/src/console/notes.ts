import type { Hono } from 'hono'
import { html } from 'hono/html'
import type { NoteRecord } from '../world/note-record.ts'
import type { Place } from '../world/place.ts'
import type { World } from '../world/world.ts'
import {
  actButton,
  type ConsoleParts,
  emptyList,
  facts,
  fieldsOf,
  type Html,
  instant,
  losingAct,
  mark,
  page,
} from './page.ts'

const A_PAGE = 50

/** The pages of the notes (contract §6). */
export function mountNotes(pages: Hono, parts: ConsoleParts): void {
  const { world, control } = parts

  pages.get('/console/notes', (context) => context.html(notesPage(parts, context.req.query('before'))))

  pages.post('/console/notes', async (context) => {
    const fields = await fieldsOf(context)
    const { note_id } = control.recordNote({
      title: fields.text('title') || undefined,
      content: fields.text('content') || null,
      place: fields.text('place'),
    })
    return context.redirect(`/console/notes/${note_id}`, 303)
  })

  pages.get('/console/notes/:note_id', (context) => {
    const note = world.notes.find(context.req.param('note_id'))
    return note === undefined ? context.notFound() : context.html(notePage(parts, note))
  })

  pages.post('/console/notes/:note_id/:act', async (context) => {
    const { note_id, act } = context.req.param()
    const fields = await fieldsOf(context)
    switch (act) {
      case 'record':
        world.beginSession(note_id)
        break
      case 'end':
        world.endSession(note_id, fields.text('recording_session_id'), {})
        break
      case 'edit':
        control.editNote(note_id, { title: fields.text('title') || null, content: fields.text('content') || null })
        break
      case 'move':
        control.moveNote(note_id, { place: fields.text('place') })
        break
      case 'delete':
        world.deleteNote(note_id)
        break
      default:
        return context.notFound()
    }
    return context.redirect(`/console/notes/${note_id}`, 303)
  })
}

/** A place, by the name that the owner gave it. */
export function placeName(world: World, place: Place): string {
  if (place === 'personal') return 'Personal'
  return world.channels().find(({ channel_id }) => channel_id === place)?.name ?? place
}

function notesPage(parts: ConsoleParts, before: string | undefined): Html {
  const all = parts.world.notes.all()
  const sequence = Number.parseInt(before ?? '', 10)
  const end = Number.isNaN(sequence) ? all.length : Math.min(sequence, all.length)
  const shown = all.slice(Math.max(0, end - A_PAGE), end).reverse()
  return page(parts, {
    title: 'Notes',
    section: 'Notes',
    content: html`
      <div class="heading"><h1>Notes</h1></div>
      <details class="card form" ${all.length === 0 ? html`open` : ''}>
        <summary>Record a note</summary>
        <form method="post" action="/console/notes">
          <label>Title <input name="title" placeholder="Empty: a plausible title" /></label>
          <label>Content <textarea name="content" rows="2"></textarea></label>
          ${placeSelect(parts.world)}
          <div><button class="primary">Record</button></div>
        </form>
      </details>
      <section id="notes" data-live>
        ${shown.length === 0 ? emptyList('No notes yet', 'Record a note and end its session. Then the first event is sent.') : noteTable(parts, shown)}
        ${end > A_PAGE ? html`<p><a class="button" href="/console/notes?before=${end - A_PAGE}">Older notes</a></p>` : ''}
      </section>`,
  })
}

function noteTable(parts: ConsoleParts, notes: readonly NoteRecord[]): Html {
  return html`<table class="notes">
    <thead><tr><th>Note</th><th>Where</th><th>Status</th><th>Revision</th><th>Updated</th><th></th></tr></thead>
    <tbody>${notes.map((note) => noteRow(parts, note))}</tbody>
  </table>`
}

function noteRow({ world }: ConsoleParts, note: NoteRecord): Html {
  const { note_id, revision, updated_at, place, sessions } = note
  const underWay = sessions.find(({ ended }) => !ended)
  return html`<tr>
    <td class="main"><a id="${note_id}" href="/console/notes/${note_id}">${titleOf(note)}</a>
      <span class="dim">${note_id}</span></td>
    <td>${placeName(world, place)}</td>
    <td>${noteMark(note)}</td>
    <td class="number"><span class="label">revision</span> ${revision}</td>
    <td class="when">${instant(updated_at)}</td>
    <td class="acts">${underWay === undefined ? '' : endButton(note_id, underWay.recording_session_id, note_id, 'plain')}</td>
  </tr>`
}

function endButton(note_id: string, recording_session_id: string, id: string, look: 'plain' | 'primary'): Html {
  return actButton(`end-${id}`, `/console/notes/${note_id}/end`, 'End session', look, { recording_session_id })
}

function notePage(parts: ConsoleParts, note: NoteRecord): Html {
  const { note_id, title, status } = note
  return page(parts, {
    title: title ?? 'Note',
    section: 'Notes',
    content: html`
      <p class="up"><a href="/console/notes">Notes</a></p>
      <section id="note" data-live>
        <div class="heading"><h1>${titleOf(note)} ${noteMark(note)}</h1>
          <a class="button" href="/console/deliveries?note=${note_id}">Show its deliveries</a></div>
        ${facts([
          ['Identifier', html`<code>${note_id}</code>`],
          ['Revision', note.revision],
          ['Where', placeName(parts.world, note.place)],
          ['Transcript', note.transcript_status],
          ['Summary', note.summary_status],
          ['Updated', instant(note.updated_at)],
        ])}
        ${status === 'deleted' ? deletedNote() : html`<h2>Recording sessions</h2>${sessionList(note)}`}
      </section>
      ${status === 'deleted' ? '' : acts(parts, note)}`,
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
    <li>${actButton('record', `/console/notes/${note_id}/record`, 'Start another session')}</li>
  </ul>`
}

function acts({ world }: ConsoleParts, { note_id, title, content, place }: NoteRecord): Html {
  const path = `/console/notes/${note_id}`
  return html`
    <section class="columns">
      <form class="card" method="post" action="${path}/edit">
        <h2>Edit</h2>
        <label>Title <input name="title" value="${title ?? ''}" /></label>
        <label>Content <textarea name="content" rows="4">${content ?? ''}</textarea></label>
        <div><button>Save</button></div>
      </form>
      <div class="card">
        <form method="post" action="${path}/move">
          <h2>Move</h2>
          <p class="dim">Integrations that lose access are sent <code>note.deleted</code> with the reason <code>access_lost</code>.</p>
          ${placeSelect(world, place)}
          <div><button>Move</button></div>
        </form>
        ${losingAct('delete', `${path}/delete`, 'Delete this note …', 'Delete note')}
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
