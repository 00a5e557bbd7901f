import { eachPart, type NotePart } from '../interfaces/consumer-change.ts'
import type { ConsumableNote } from '../interfaces/consumer-store.ts'
import { hasWork, isHiddenSince, unknownNote } from '../interfaces/note-state.ts'
import { type ContentWrite, earliestDue, type NoteWrite } from '../interfaces/note-write.ts'
import { type CompletionCertificate, type CopyState, type MirrorProgress, NO_PROGRESS } from '../interfaces/progress.ts'
import type {
  ChangedNote,
  DueRequest,
  HeldRemovals,
  LoadedProgress,
  MirrorCommit,
  MirrorStore,
  VersionedState,
} from '../interfaces/store.ts'
import { partsOf, type StoredNote } from '../interfaces/stored-note.ts'
import { IntegrationsInMemory } from './integrations-in-memory.ts'
import { ConsumerInMemory } from './memory-consumers.ts'

/**
 * Stores mirrors in the memory of this process: for tests, and for mirrors that can be copied again quickly.
 *
 * @example
 * ```ts
 * import { NotesClient } from '@notewire/client'
 * import { createMirror, memoryMirror } from '@notewire/mirror'
 *
 * const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: 'ntw_live_k7.s3cret' })
 * const mirror = createMirror({ client, store: memoryMirror() })
 * ```
 */
export function memoryMirror(): MirrorStore {
  const integrations = new Map<string, IntegrationInMemory>()
  const integrationOf = (integration: string) => {
    const known = integrations.get(integration) ?? new IntegrationInMemory()
    integrations.set(integration, known)
    return known
  }
  const many = new IntegrationsInMemory({
    read: (integration) => integrationOf(integration).readProgress(),
    consumers: (integration) => integrationOf(integration).consumers(),
    countContradicted: (integration) => integrationOf(integration).count().contradicted,
    countHeld: (integration) =>
      integrationOf(integration)
        .holds()
        .reduce((sum, { notes }) => sum + notes, 0),
    erase(integration, limit) {
      const isErased = integrationOf(integration).erase(limit)
      if (isErased) integrations.delete(integration)
      return isErased
    },
  })
  return {
    integrations: many,
    migrate: async () => undefined,
    load: async (integration, noteIds) => integrationOf(integration).load(noteIds),
    readProgress: async (integration) => integrationOf(integration).readProgress(),
    commit: async (integration, commit) => {
      const { fence, heardAt, notes } = commit
      if (fence !== undefined && many.isFenced(integration, fence)) return 'fenced'
      const outcome = integrationOf(integration).commit(commit)
      const isHint = fence !== undefined && heardAt !== undefined && outcome === 'committed'
      const dueAt = isHint ? earliestDue(notes) : null
      if (dueAt !== null) many.wakeByHint(integration, dueAt)
      return outcome
    },
    takeDue: async (integration, request) => integrationOf(integration).takeDue(request),
    listCandidates: async (integration, certificate, after, limit) =>
      integrationOf(integration)
        .candidates(certificate)
        .filter((noteId) => noteId > after)
        .slice(0, limit),
    countCandidates: async (integration, certificate) => integrationOf(integration).candidates(certificate).length,
    listHeld: async (integration, scanId, after, limit) =>
      integrationOf(integration).held(scanId, after).slice(0, limit),
    listOverdue: async (integration, hiddenBefore, limit) =>
      integrationOf(integration).overdue(hiddenBefore).slice(0, limit),
    listHolds: async (integration) => integrationOf(integration).holds(),
    count: async (integration) => integrationOf(integration).count(),
    latestPosition: async (integration) => integrationOf(integration).position,
    listChanges: async (integration, after, limit) => integrationOf(integration).changes(after).slice(0, limit),
    getNote: async (integration, noteId) => integrationOf(integration).get(noteId),
    listNotes: async (integration, after, limit) => integrationOf(integration).live(after).slice(0, limit),
    search: async (integration, words, limit) => integrationOf(integration).search(words).slice(0, limit),
    readConsumer: async (integration, name) => integrationOf(integration).consumer(name).read(),
    commitConsumer: async (integration, name, commit) => integrationOf(integration).consumer(name).commit(commit),
    renewConsumer: async (integration, name, token, until) =>
      integrationOf(integration).consumer(name).renew(token, until),
    listConsumable: async (integration, name, request) => integrationOf(integration).consumer(name).list(request),
    describeConsumer: async (integration, name) => integrationOf(integration).consumer(name).describe(),
    retryParked: async (integration, name, now) => integrationOf(integration).consumer(name).retryParked(now),
  }
}

interface Row extends Omit<ConsumableNote, 'kept'> {
  readonly version: number
  readonly firstVisible: number | null
}

class IntegrationInMemory {
  readonly #rows = new Map<string, Row>()
  readonly #consumers = new Map<string, ConsumerInMemory>()
  #sequence = 0
  position = 0
  #progress: MirrorProgress = NO_PROGRESS
  #progressVersion = 0
  #heardAt: number | null = null

  readProgress(): CopyState {
    const states = [...this.#rows.values()].map(({ state }) => state)
    const hidden = states.filter(({ presence }) => presence === 'hidden')
    return {
      ...this.#loadedProgress(),
      nextDueAt: earliest(states.map(({ dueAt }) => dueAt)),
      hiddenSince: earliest(hidden.map(({ hiddenAt }) => hiddenAt)),
    }
  }

  load(noteIds: readonly string[]) {
    this.#sequence += 1
    const notes = new Map<string, VersionedState>()
    for (const noteId of noteIds) {
      const row = this.#rows.get(noteId)
      if (row !== undefined) notes.set(noteId, { state: row.state, version: row.version })
    }
    return { ...this.#loadedProgress(), notes }
  }

  commit({ notes, progress, heardAt }: MirrorCommit): 'committed' | 'conflict' {
    if (progress !== undefined && progress.expectedVersion !== this.#progressVersion) return 'conflict'
    const isOlder = ({ state, expectedVersion }: NoteWrite) =>
      (this.#rows.get(state.noteId)?.version ?? 0) !== expectedVersion
    if (notes.some(isOlder)) return 'conflict'
    for (const write of notes) this.#write(write)
    if (progress !== undefined) {
      this.#progress = progress.next
      this.#progressVersion += 1
    }
    if (heardAt !== undefined) this.#heardAt = Math.max(heardAt, this.#heardAt ?? 0)
    return 'committed'
  }

  /** @returns whether all notes are erased */
  erase(limit: number): boolean {
    for (const noteId of [...this.#rows.keys()].slice(0, limit)) this.#rows.delete(noteId)
    return this.#rows.size === 0
  }

  takeDue({ now, dueBy = now, until, limit }: DueRequest) {
    const waiting = [...this.#rows.values()].filter(({ state }) => state.dueAt !== null).sort(byUrgency)
    const due = waiting.filter(({ state }) => (state.dueAt ?? 0) <= dueBy).slice(0, limit)
    const notes = due.map((row) => {
      const taken = { ...row, state: { ...row.state, dueAt: until }, version: row.version + 1 }
      this.#rows.set(row.state.noteId, taken)
      return { state: taken.state, version: taken.version, note: taken.note }
    })
    const taken = new Set(notes.map(({ state }) => state.noteId))
    const others = waiting.filter(({ state }) => !taken.has(state.noteId)).map(({ state }) => state.dueAt)
    return { sequence: this.#sequence, notes, nextDueAt: earliest(others) }
  }

  candidates({ startedAt }: CompletionCertificate): readonly string[] {
    return this.live('')
      .filter(({ state }) => (state.evidence?.start ?? 0) < startedAt)
      .map(({ state }) => state.noteId)
  }

  held(scanId: string, after: string): readonly string[] {
    return this.#sorted()
      .filter(({ state }) => state.presence === 'hidden' && state.heldByScan === scanId && state.noteId > after)
      .map(({ state }) => state.noteId)
  }

  overdue(hiddenBefore: number): readonly string[] {
    return this.#sorted()
      .filter(({ state }) => state.presence === 'hidden' && isHiddenSince(state.hiddenAt, hiddenBefore))
      .map(({ state }) => state.noteId)
  }

  holds(): readonly HeldRemovals[] {
    const counts = new Map<string, number>()
    for (const { state } of this.#rows.values()) {
      const scanId = state.presence === 'hidden' ? state.heldByScan : null
      if (scanId !== null) counts.set(scanId, (counts.get(scanId) ?? 0) + 1)
    }
    return [...counts].map(([scanId, notes]) => ({ scanId, notes })).sort((a, b) => (a.scanId < b.scanId ? -1 : 1))
  }

  count() {
    const states = [...this.#rows.values()].map(({ state }) => state)
    const having = (presence: string) => states.filter((state) => state.presence === presence).length
    return {
      live: having('live'),
      hidden: having('hidden'),
      gone: having('gone'),
      dirty: states.filter(({ dirty }) => dirty !== null).length,
      unsettled: states.filter((state) => state.dirty === null && hasWork(state)).length,
      contradicted: states.filter(({ contradictedSince }) => contradictedSince !== null).length,
    }
  }

  changes(after: number): readonly ChangedNote[] {
    return [...this.#rows.values()].filter(({ position }) => position > after).sort((a, b) => a.position - b.position)
  }

  get(noteId: string): StoredNote | undefined {
    return this.#rows.get(noteId)
  }

  live(after: string): readonly StoredNote[] {
    return this.#sorted().filter(({ state }) => state.presence === 'live' && state.noteId > after)
  }

  search(words: readonly string[]): readonly StoredNote[] {
    return this.live('').filter((row) => {
      const text = textOf(row)
      return words.every((word) => text.includes(word.toLowerCase()))
    })
  }

  consumers(): readonly string[] {
    return [...this.#consumers].flatMap(([name, consumer]) => (consumer.read().version > 0 ? [name] : [])).sort()
  }

  consumer(name: string): ConsumerInMemory {
    const known = this.#consumers.get(name) ?? new ConsumerInMemory(this.#rows)
    this.#consumers.set(name, known)
    return known
  }

  #write({ state, content, announce }: NoteWrite): void {
    const row = this.#rows.get(state.noteId) ?? { ...NEW_ROW, state: unknownNote(state.noteId) }
    const position = announce === undefined ? row.position : this.#nextPosition()
    const appeared = announce === 'appeared'
    const parts = partsAfter(row, content)
    const before =
      content === 'erase' ? { ...row, ...NO_PARTS, changedAt: { ...NEVER, statuses: row.changedAt.statuses } } : row
    const vanished = announce !== undefined && row.state.presence === 'live' && state.presence !== 'live'
    this.#rows.set(state.noteId, {
      ...row,
      ...parts,
      state,
      changedAt: changedAtAfter(before, { ...parts, state }, position),
      vanishedSince: vanished ? position : row.vanishedSince,
      version: row.version + 1,
      position,
      visibleSince: appeared ? position : row.visibleSince,
      firstVisible: appeared ? (row.firstVisible ?? position) : row.firstVisible,
    })
  }

  #loadedProgress(): LoadedProgress {
    return {
      sequence: this.#sequence,
      progress: this.#progress,
      progressVersion: this.#progressVersion,
      heardAt: this.#heardAt,
    }
  }

  #nextPosition(): number {
    this.position += 1
    return this.position
  }

  #sorted(): readonly Row[] {
    return [...this.#rows.values()].sort((a, b) => (a.state.noteId < b.state.noteId ? -1 : 1))
  }
}

function earliest(times: readonly (number | null)[]): number | null {
  return times.reduce((one, other) => (one === null || (other !== null && other < one) ? other : one), null)
}

type Parts = Omit<StoredNote, 'state'>

const NO_PARTS: Parts = { note: null, transcript: null, summary: null }
const NEVER = eachPart(() => 0)
const NEW_ROW = {
  ...NO_PARTS,
  version: 0,
  position: 0,
  visibleSince: 0,
  firstVisible: null,
  vanishedSince: 0,
  changedAt: NEVER,
}

function changedAtAfter(before: Row, after: StoredNote, position: number): Row['changedAt'] {
  const was = partsOf(before)
  const is = partsOf(after)
  const isSame = (part: NotePart) => isDeepEqual(was[part], is[part]) && (part !== 'statuses' || before.version > 0)
  return eachPart((part) => (isSame(part) ? before.changedAt[part] : position))
}

function isDeepEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null)
}

function partsAfter(row: Parts, content: ContentWrite | undefined): Parts {
  if (content === 'erase') return NO_PARTS
  return {
    note: content?.note === undefined ? row.note : content.note,
    transcript: content?.transcript === undefined ? row.transcript : content.transcript,
    summary: content?.summary === undefined ? row.summary : content.summary,
  }
}

function byUrgency({ state: one }: Row, { state: other }: Row): number {
  const dirtyFirst = Number(one.dirty === null) - Number(other.dirty === null)
  return dirtyFirst !== 0 ? dirtyFirst : (one.dueAt ?? 0) - (other.dueAt ?? 0)
}

function textOf({ note, transcript, summary }: Parts): string {
  return [note?.title, note?.content, transcript?.text, summary?.markdown].join('\n').toLowerCase()
}
