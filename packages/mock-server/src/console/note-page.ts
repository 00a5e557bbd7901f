import { html } from 'hono/html'
import type { NoteRecord, SessionRecord } from '../world/note-record.ts'
import type { ConsoleParts } from './console-parts.ts'
import type { Html } from './markup.ts'
import { noteMark, placeName, placeSelect, titleOf } from './note-words.ts'
import { actButton, losingAct, page } from './page.ts'
import { instant } from './time-text.ts'

/** A note, with everything that its owner can do to it. */
export function notePage(parts: ConsoleParts, note: NoteRecord): Html {
  const { note_id, title, status } = note
  const path = `/console/notes/${note_id}`
  return page(parts, {
    title: title ?? 'Note',
    section: 'Notes',
    content: html`
      <p class="up"><a href="/console/notes">Notes</a></p>
      <section id="note" data-live>
        <div class="heading"><h1>${titleOf(note)} ${noteMark(note)}</h1>
          <a class="button" href="/console/deliveries?note=${note_id}">Its deliveries</a></div>
        ${facts(parts, note)}
        ${status === 'deleted' ? deletedWords() : html`<h2>Recording sessions</h2>${sessionList(note, path)}`}
      </section>
      ${status === 'deleted' ? '' : acts(parts, note, path)}`,
  })
}

function facts({ world }: ConsoleParts, note: NoteRecord): Html {
  return html`<dl class="facts">
    <div><dt>Identifier</dt><dd><code>${note.note_id}</code></dd></div>
    <div><dt>Revision</dt><dd>${note.revision}</dd></div>
    <div><dt>Where</dt><dd>${placeName(world, note.place)}</dd></div>
    <div><dt>Transcript</dt><dd>${note.transcript_status}</dd></div>
    <div><dt>Summary</dt><dd>${note.summary_status}</dd></div>
    <div><dt>Updated</dt><dd>${instant(note.updated_at)}</dd></div>
  </dl>`
}

function deletedWords(): Html {
  return html`<div class="empty"><h2>This note was deleted</h2>
    <p>What is left is its tombstone, which the list shows with <code>include_deleted=true</code>.</p></div>`
}

function sessionList({ sessions }: NoteRecord, path: string): Html {
  return html`<ul class="rows">
    ${sessions.map((session) => sessionRow(session, path))}
    <li>${actButton('record', `${path}/record`, 'Record another session')}</li>
  </ul>`
}

function sessionRow({ recording_session_id, ended }: SessionRecord, path: string): Html {
  return html`<li><code>${recording_session_id}</code>
    ${ended ? html`<span class="dim">ended</span>` : actButton(`end-${recording_session_id}`, `${path}/end`, 'End it', 'primary', { recording_session_id })}</li>`
}

function acts({ world }: ConsoleParts, { title, content, place }: NoteRecord, path: string): Html {
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
          <p class="dim">Whoever loses sight of it is sent <code>note.deleted</code> with <code>access_lost</code>.</p>
          ${placeSelect(world, place)}
          <div><button>Move</button></div>
        </form>
        ${losingAct('delete', `${path}/delete`, 'Delete this note …', 'Delete it')}
      </div>
    </section>`
}
