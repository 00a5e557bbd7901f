import fc from 'fast-check'
import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { memoryMirror } from '../../../fixtures/memory-mirror/memory-mirror.ts'
import { aCertificate } from '../../../fixtures/store-checks/builders.ts'
import { reads } from '../../../fixtures/store-reads.ts'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-database.ts'
import { NO_PROGRESS } from '../../integrations/progress.ts'
import type { NoteState } from '../../notes/note-state.ts'
import type { ContentWrite, NoteWrite } from '../../notes/note-write.ts'
import type { StoredNote } from '../../notes/stored-note.ts'
import type { MirrorStore } from '../mirror-store.ts'
import { postgresMirror } from './index.ts'

let databases: TestDatabases
let pool: Pool
beforeAll(async () => {
  databases = await startDatabases()
  pool = await databases.migratedPool()
  await postgresMirror(pool).migrate()
})
afterAll(() => databases.cleanUp.disposeAsync())

const integration = fc.constantFrom('one', 'one', 'one', 'other')
const NOTE_IDS = ['a', 'b', 'c', 'd', 'e', '\u001a0000', 'f\0']
const noteId = fc.constantFrom(...NOTE_IDS)
const number = fc.nat(9)
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null })
const text = fc.oneof(fc.constantFrom('', 'walrus', 'the Walrus', 'Ünder', '\0', '\ud83d', '2026-01-01'), fc.string())

const state: fc.Arbitrary<NoteState> = fc.record({
  noteId,
  presence: fc.constantFrom('live', 'live', 'hidden', 'gone'),
  evidence: maybe(
    fc.record({
      says: fc.constantFrom('present', 'absent'),
      start: number,
      end: number,
      source: fc.constantFrom('backfill', 'poll', 'full-listing', 'read'),
      at: fc.integer({ min: 0, max: 1_900_000_000_000 }),
    }),
  ),
  revision: maybe(fc.maxSafeNat()),
  visibleRevision: maybe(number),
  recordSeenAt: maybe(number),
  floor: maybe(
    fc.record({ revision: maybe(fc.maxSafeNat()), at: number, deletedAt: number, unrevisedAt: maybe(number) }),
  ),
  contradictedSince: maybe(number),
  status: maybe(text),
  transcriptStatus: maybe(text),
  summaryStatus: maybe(text),
  createdAt: maybe(text),
  updatedAt: maybe(text),
  settledRevision: maybe(number),
  transcriptOutcome: maybe(fc.constantFrom('ready', 'empty', 'missing', 'failed', 'not_ready')),
  summaryOutcome: maybe(fc.constantFrom('ready', 'missing')),
  readAfterSequence: maybe(number),
  hintedRevision: maybe(
    fc.oneof(
      number,
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((any) => any + 0),
    ),
  ),
  hiddenSequence: maybe(number),
  hiddenAt: maybe(number),
  heldByFullListing: maybe(fc.constantFrom('scan 1', 'scan\0')),
  attempts: number,
  failures: number,
  dueAt: maybe(fc.nat(15_000)),
  heard: maybe(fc.record({ kind: text, revision: maybe(number), sequence: number, at: number })),
  recordingSessionId: maybe(text),
})

const content: fc.Arbitrary<ContentWrite | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.constant('erase' as const),
  fc.record(
    {
      note: maybe(fc.record({ note_id: noteId, revision: number, title: maybe(text), [' \0"\\']: text })),
      transcript: maybe(fc.record({ note_id: noteId, text, segments: maybe(fc.array(fc.record({ text }))) })),
      summary: maybe(fc.record({ note_id: noteId, markdown: maybe(text) })),
    },
    { requiredKeys: [] },
  ),
)

const write = fc.record({
  state,
  content,
  announce: fc.constantFrom(undefined, 'appeared', 'changed', 'vanished'),
  /** The lag of the writer. */
  lag: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 1),
})

/** A step of a history, for both stores. */
const step = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      act: fc.constant('commit' as const),
      integration,
      writes: fc.uniqueArray(write, { selector: ({ state }) => state.noteId, maxLength: 4 }),
      writesProgress: fc.boolean(),
      keyId: text,
      heardAt: fc.constantFrom(undefined, 3, 7),
    }),
  },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('load' as const), integration, noteIds: fc.array(noteId) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      act: fc.constant('due' as const),
      integration,
      dueBy: fc.integer({ min: 0, max: 100_000 }),
      limit: fc.constantFrom(0, 1, 1, 100),
      except: fc.oneof(fc.constant([]), fc.subarray(NOTE_IDS)),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      act: fc.constant('read' as const),
      integration,
      noteId,
      number,
      limit: fc.integer({ min: 1, max: 5 }),
    }),
  },
)

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

it('answers like the store in memory for any history', async () => {
  const told: Record<string, number> = {}
  let histories = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (history) => {
      histories += 1
      const prefix = `history ${histories} `
      const [memory, postgres] = [memoryMirror(), postgresMirror(pool)]
      for (const each of history) {
        const expected = await answerTo(memory, prefix, each)
        expect(await answerTo(postgres, prefix, each)).toEqual(expected)
        const kind = typeof expected === 'string' ? expected : each.act
        told[kind] = (told[kind] ?? 0) + 1
      }
    }),
    { numRuns: 150 },
  )
  // A history without conflicts would prove little.
  for (const answer of ['committed', 'conflict', 'load', 'due', 'read'])
    expect(told[answer], answer).toBeGreaterThan(100)
})

async function answerTo(store: MirrorStore, prefix: string, step: Step): Promise<unknown> {
  const integration = prefix + step.integration
  switch (step.act) {
    case 'commit': {
      const { notes, progress } = await store.load(
        integration,
        step.writes.map(({ state }) => state.noteId),
      )
      const writes = step.writes.map(({ state, lag, ...rest }): NoteWrite => {
        const version = notes.get(state.noteId)?.version ?? 0
        const dueAt = state.dueAt === null ? null : state.dueAt * NOTE_IDS.length + NOTE_IDS.indexOf(state.noteId)
        return { ...rest, state: { ...state, dueAt }, expectedVersion: Math.abs(version - lag) }
      })
      const { writesProgress, keyId, heardAt } = step
      const next = { ...(progress ?? NO_PROGRESS), key: { kind: 'key_id', keyId } as const }
      return await store.commit(integration, {
        notes: writes,
        progress: writesProgress ? next : undefined,
        heardAt,
      })
    }
    case 'load':
      return await store.load(integration, step.noteIds)
    case 'due': {
      const { dueBy, limit, except } = step
      const { notes, ...rest } = await store.readDue(integration, { dueBy, limit, except })
      return { ...rest, notes: notes.map(({ state, version }) => ({ state, version })) }
    }
    case 'read':
      return await everythingOf(store, integration, step)
  }
}

async function everythingOf(
  store: MirrorStore,
  integration: string,
  { noteId, number, limit }: Step & { act: 'read' },
) {
  const stored = await reads(store).getNote(integration, noteId)
  const listed = await reads(store).listNotes(integration, noteId, limit)
  const found = await reads(store).search(integration, ['walrus'], 10)
  const changes = await reads(store).listChanges(integration, number, limit)
  const consumable = await store.listConsumable(integration, 'index', { after: number, dueBy: 1, limit })
  return {
    progress: await store.readProgress(integration),
    candidates: await reads(store).listCandidates(integration, aCertificate(number), noteId, limit),
    candidateCount: await reads(store).countCandidates(integration, aCertificate(number)),
    held: await reads(store).listHeld(integration, 'scan\0', noteId, limit),
    counts: await store.count(integration),
    changes: changes.map(({ state, position, visiblePosition, firstVisiblePosition }) => {
      return { state, position, visiblePosition, firstVisiblePosition }
    }),
    consumable: consumable.changes.map(
      ({ position, visiblePosition, vanishedPosition, changedPositions, kept, ...note }) => {
        return { position, visiblePosition, vanishedPosition, changedPositions, kept, note: partsOf(note) }
      },
    ),
    stored: stored && partsOf(stored),
    listed: listed.map(partsOf),
    found: found.map(({ state }) => state.noteId).sort(),
  }
}

function partsOf({ state, note, transcript, summary }: StoredNote) {
  return { state, note, transcript, summary }
}
