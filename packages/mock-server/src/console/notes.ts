import type { Hono } from 'hono'
import { html } from 'hono/html'
import type { NoteRecord } from '../world/note-record.ts'
import type { ConsoleParts } from './console-parts.ts'
import { fieldsOf, textOrNull } from './fields.ts'
import type { Html } from './markup.ts'
import { notePage } from './note-page.ts'
import { noteMark, placeName, placeSelect, titleOf } from './note-words.ts'
import { actButton, page } from './page.ts'
import { instant } from './time-text.ts'

const A_PAGE = 50

/** The notes, with what their owner can do to them (contract §6). */
export function mountNotes(pages: Hono, parts: ConsoleParts): void {
  const { world } = parts

  pages.get('/console/notes', (context) => context.html(notesPage(parts, readBefore(context.req.query('before')))))

  pages.post('/console/notes', async (context) => {
    const fields = await fieldsOf(context)
    const title = fields.text('title')
    const { note_id } = world.recordNote(
      { title: title === '' ? undefined : title, content: textOrNull(fields.text('content')) },
      fields.text('place'),
    )
    world.beginSession(note_id)
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
        world.editNote(note_id, {
          title: textOrNull(fields.text('title')),
          content: textOrNull(fields.text('content')),
        })
        break
      case 'move':
        world.moveNote(note_id, fields.text('place'))
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

function readBefore(text: string | undefined): number {
  const sequence = Number.parseInt(text ?? '', 10)
  return Number.isNaN(sequence) ? Number.POSITIVE_INFINITY : sequence
}

function notesPage(parts: ConsoleParts, before: number): Html {
  const { world } = parts
  const all = world.notes.all()
  const end = Math.min(before, all.length)
  const shown = all.slice(Math.max(0, end - A_PAGE), end).reverse()
  return page(parts, {
    title: 'Notes',
    section: 'Notes',
    content: html`
      <div class="heading"><h1>Notes</h1></div>
      <details class="card form" ${all.length === 0 ? html`open` : ''}>
        <summary>Record a note</summary>
        <form method="post" action="/console/notes">
          <label>Title <input name="title" placeholder="A plausible one, when left empty" /></label>
          <label>Content <textarea name="content" rows="2"></textarea></label>
          ${placeSelect(world)}
          <div><button class="primary">Record</button></div>
        </form>
      </details>
      <section id="notes" data-live>
        ${shown.length === 0 ? noNotes() : noteTable(parts, shown)}
        ${end > A_PAGE ? html`<p><a class="button" href="/console/notes?before=${end - A_PAGE}">Older notes</a></p>` : ''}
      </section>`,
  })
}

function noNotes(): Html {
  return html`<div class="empty"><h2>No notes yet</h2>
    <p>Record one, and end its session: that is when the first event leaves.</p></div>`
}

function noteTable(parts: ConsoleParts, notes: readonly NoteRecord[]): Html {
  return html`<table class="notes">
    <thead><tr><th>Note</th><th>Where</th><th>Status</th><th>Revision</th><th>Updated</th><th></th></tr></thead>
    <tbody>${notes.map((note) => noteRow(parts, note))}</tbody>
  </table>`
}

function noteRow({ world }: ConsoleParts, note: NoteRecord): Html {
  const { note_id, revision, updated_at, place, sessions } = note
  return html`<tr>
    <td class="main"><a id="${note_id}" href="/console/notes/${note_id}">${titleOf(note)}</a>
      <span class="dim">${note_id}</span></td>
    <td>${placeName(world, place)}</td>
    <td>${noteMark(note)}</td>
    <td class="number"><span class="label">revision</span> ${revision}</td>
    <td class="when">${instant(updated_at)}</td>
    <td class="acts">${sessions.some(({ ended }) => !ended) ? endButton(note) : ''}</td>
  </tr>`
}

function endButton({ note_id, sessions }: NoteRecord): Html {
  const under = sessions.find(({ ended }) => !ended)
  if (under === undefined) return html``
  return actButton(`end-${note_id}`, `/console/notes/${note_id}/end`, 'End', 'plain', {
    recording_session_id: under.recording_session_id,
  })
}
