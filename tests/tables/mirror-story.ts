import { NotesClient } from '@notewire/client'
import {
  createMirror,
  type Mirror,
  type MirrorHooks,
  type MirrorStore,
  memoryMirror,
  type ProgressNotice,
} from '@notewire/mirror'
import type { Clock, Note } from '@notewire/protocol'
import { anEvent } from '@notewire/webhooks/testing'
import { type KeptNote, serviceOf } from './kept-notes.ts'
import { FROZEN_AT } from './receiver-story.ts'

/** A mirror whose tables are frozen, and the service that it will go on with. */
export interface ToldMirror {
  readonly integration: string
  readonly notes: ReadonlyMap<string, KeptNote>
  /** All notes that the mirror ever heard of. */
  readonly noteIds: readonly string[]
}

/** The mirrors, in memory. */
export interface MirrorStory {
  readonly store: MirrorStore
  readonly clock: Clock
  readonly mirrors: readonly ToldMirror[]
}

const MINUTE_MS = 60_000
const SECRET = `whsec_${'A'.repeat(43)}`

/**
 * Leads mirrors into every state: up to date, hidden, gone, unread, contradicted, held by a scan, interrupted.
 *
 * In memory, because nothing there depends on time: databases answer in another order from run to run. `copyMirrors` writes it to them.
 */
export async function tellMirrorStory(): Promise<MirrorStory> {
  using _ = withNumberedIds()
  const store = memoryMirror()
  let now = FROZEN_AT - 60 * MINUTE_MS
  const clock: Clock = {
    now: () => now,
    async sleep(ms) {
      now += ms
    },
  }
  const wait = () => clock.sleep(5 * MINUTE_MS)
  const mirrorOf = (integration: string, notes: ReadonlyMap<string, KeptNote>, hooks: MirrorHooks = {}): Mirror =>
    createMirror({ client: clientOf(notes, clock), store, clock, integration, concurrency: 1, hooks })

  const lively = notesOf(['ada', 'budget', 'recording', 'gone', 'leaving', 'renamed', 'restored'])
  lively.set(
    'note_recording',
    aNote('recording', { status: 'pending', transcript_status: 'pending', summary_status: 'pending' }),
  )
  const mirror = mirrorOf('default', lively)
  const { process } = mirror.receiver({ secret: SECRET })
  await mirror.sync()
  await wait()
  lively.delete('note_gone')
  await process(anEvent({ kind: 'note.deleted', eventId: 'evt_1', noteId: 'note_gone', revision: 3 }))
  await mirror.sync()
  await wait()
  lively.set('note_restored', aNote('restored', { revision: 1 }))
  await mirror.sync({ scan: 'now' })
  lively.delete('note_leaving')
  lively.set('note_renamed', aNote('renamed', { revision: 3, title: 'Walrus census' }))
  lively.set('note_new', aNote('new'))
  await process(anEvent({ kind: 'note.deleted', eventId: 'evt_2', noteId: 'note_leaving', revision: 3 }))
  await process(anEvent({ kind: 'note.updated', eventId: 'evt_3', noteId: 'note_renamed', revision: 3 }))
  await process(anEvent({ kind: 'note.ended', eventId: 'evt_4', noteId: 'note_new', revision: 2 }))

  const emptied = notesOf(['one', 'two', 'three'])
  await mirrorOf('emptied', emptied).sync()
  emptied.clear()
  await wait()
  await mirrorOf('emptied', emptied).sync({ scan: 'now' })

  const long = notesOf(['1', '2', '3', '4', '5'])
  const stop = new AbortController()
  const onProgress = ({ phase }: ProgressNotice) => phase === 'backfill' && stop.abort()
  await mirrorOf('interrupted', long, { onProgress })
    .sync({ signal: stop.signal })
    .catch(() => undefined)

  return {
    store,
    clock,
    mirrors: [
      { integration: 'default', notes: lively, noteIds: [...lively.keys(), 'note_gone', 'note_leaving'] },
      { integration: 'emptied', notes: emptied, noteIds: ['note_one', 'note_two', 'note_three'] },
      { integration: 'interrupted', notes: long, noteIds: [...long.keys()] },
    ],
  }
}

/** Writes what the memory holds to another store, in a fixed order. */
export async function copyMirrors(from: MirrorStore, to: MirrorStore, mirrors: readonly ToldMirror[]): Promise<void> {
  for (const { integration, noteIds } of mirrors) {
    const { sequence, notes, progress, heardAt } = await from.load(integration, noteIds)
    // The evidence of notes is dated by the sequence, which must not go back.
    while ((await to.load(integration, [])).sequence < sequence);
    for (const { state } of notes.values()) {
      const { note = null, transcript = null, summary = null } = (await from.getNote(integration, state.noteId)) ?? {}
      const write = { state, expectedVersion: 0, content: note === null ? undefined : { note, transcript, summary } }
      const announce = state.presence === 'live' ? 'appeared' : 'vanished'
      await to.commit(integration, { notes: [{ ...write, announce: state.evidence === null ? undefined : announce }] })
    }
    await to.commit(integration, {
      notes: [],
      progress: { expectedVersion: 0, next: progress },
      heardAt: heardAt ?? undefined,
    })
  }
}

/** A client with the one key of all frozen mirrors. */
export function clientOf(
  notes: ReadonlyMap<string, KeptNote>,
  clock: Pick<Clock, 'now'>,
  onAsk?: (asked: string) => void,
): NotesClient {
  const fetch = serviceOf(notes, () => clock.now(), onAsk)
  return new NotesClient({ baseUrl: 'https://notes.example', apiKey: 'ntw_live_frozen.secret', fetch, maxRetries: 0 })
}

function notesOf(names: readonly string[]): Map<string, KeptNote> {
  return new Map(names.map((name) => [`note_${name}`, aNote(name)]))
}

/** A note that a client would read; it may contain what databases escape. */
export function aNote(name: string, traits: Partial<Note> = {}): KeptNote {
  const note: Note = {
    note_id: `note_${name}`,
    revision: 2,
    title: `Weekly ${name}`,
    content: `Agenda of ${name}: “Ünïcode” \0 and 'quotes'`,
    status: 'ended',
    transcript_status: 'ready',
    summary_status: 'ready',
    created_at: '2026-11-20T09:00:00Z',
    updated_at: '2026-11-22T10:30:00Z',
    owner: { type: 'channel', channel_id: 'channel_1' },
    ...traits,
  }
  if (note.transcript_status !== 'ready') return { note }
  return { note, transcript: `Good morning, this is ${name}`, summary: `## Decisions\n\n* ${name} was agreed` }
}

/** Makes `crypto.randomUUID` count, until it is disposed of: copies and scans have random names. */
function withNumberedIds(): Disposable {
  const { randomUUID } = crypto
  let ids = 0
  crypto.randomUUID = () => {
    ids += 1
    return `00000000-0000-4000-8000-${String(ids).padStart(12, '0')}`
  }
  return {
    [Symbol.dispose]() {
      crypto.randomUUID = randomUUID
    },
  }
}
