import type { NoteWithContent } from '@notewire/client'
import type { Note } from '@notewire/protocol'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { memoryMirror } from '../../fixtures/memory-mirror/memory-mirror.ts'
import { onClock } from '../../fixtures/on-clock.ts'
import { anyNoteState } from '../../fixtures/store-checks/any-note-state.ts'
import { copyHooks } from '../hooks.ts'
import { Ledger } from '../ledger/ledger.ts'
import type { NoteState } from '../notes/note-state.ts'
import { newIntegration } from '../rules/schedule-rule.ts'
import { DueQueue } from './due-queue.ts'
import { fetchDueNotes } from './fetch-due-notes.ts'
import type { SyncContext } from './sync.ts'

const NOW = 1_800_000_000_000
/** The sequence number before the round, which no number in the state exceeds. */
const SEQUENCE = 40
/** Enough to read the record and its content, and to read both again after a contradiction. */
const MOST_REQUESTS = 8

const number = fc.nat(9)
const status = fc.constantFrom('pending', 'ready', 'missing', 'empty', 'failed', null, undefined)
const statuses = { transcript_status: status, summary_status: status }

const record = fc.option(
  fc.record({
    note_id: fc.constant('any'),
    revision: number,
    status: fc.constantFrom('ended', 'deleted'),
    ...statuses,
  }),
  { nil: undefined },
)

const content = fc.record({
  transcript: fc.oneof(
    fc.record({ status: fc.constantFrom('gone', 'content_not_found', 'not_ready', 'empty', 'failed') }),
    fc.record({
      status: fc.constant('ready'),
      transcript: fc.record({ revision: fc.option(number), text: fc.string() }),
    }),
  ),
  summary: fc.oneof(
    fc.record({ status: fc.constantFrom('gone', 'content_not_found', 'not_ready', 'missing', 'failed') }),
    fc.record({
      status: fc.constant('ready'),
      summary: fc.record({ revision: fc.option(number), markdown: fc.string() }),
    }),
  ),
})

const state = anyNoteState('any').map((drawn): NoteState => {
  const known = <Value extends number | null>(sequence: Value) => (sequence === null ? null : sequence % SEQUENCE)
  const [start, end] = [known(drawn.evidence?.start ?? 0), known(drawn.evidence?.end ?? 0)].toSorted(
    (a, b) => (a ?? 0) - (b ?? 0),
  )
  return {
    ...drawn,
    dueAt: NOW,
    readAfterSequence: known(drawn.readAfterSequence),
    hiddenSequence: known(drawn.hiddenSequence),
    evidence: drawn.evidence && { ...drawn.evidence, start: start ?? 0, end: end ?? 0 },
    heard: drawn.heard && { ...drawn.heard, sequence: drawn.heard.sequence % SEQUENCE },
  }
})

const FENCE = { generation: 'first', lost: () => new Error('removed') }

/** Fetches the note until it is no longer due. The service always answers the same, and the clock stands still. */
async function requestsFor(before: NoteState, answer: Note | undefined, parts: object, keep: SyncContext['keep']) {
  const clock = { now: () => NOW, sleep: () => new Promise<void>((resolve) => setImmediate(resolve)) }
  const store = onClock(memoryMirror(), clock)
  await store.integrations.write(newIntegration('one', FENCE.generation, NOW), undefined)
  for (let number = 0; number < SEQUENCE; number += 1) await store.load('one', [])
  await store.commit('one', { notes: [{ state: before, expectedVersion: 0 }] })
  const ended = new AbortController()
  let requests = 0
  function count(): void {
    requests += 1
    if (requests > MOST_REQUESTS) ended.abort(new Error('It sends requests endlessly.'))
  }
  const context = {
    ...{ store, clock, integration: 'one', concurrency: 2, hooks: copyHooks({}, 'one'), keep },
    ledger: new Ledger({ store, integration: 'one', fence: FENCE, onAnnounced: () => undefined }),
    erasure: { runIfDue: async () => undefined },
    client: {
      notes: {
        readsFromList: false,
        find: async () => {
          count()
          return answer
        },
        content: async (note: Note) => {
          count()
          return { ...parts, note } as NoteWithContent
        },
      },
    },
    signal: ended.signal,
    shouldYield: () => false,
    stop: (reason: unknown) => ended.abort(reason),
  } as unknown as SyncContext
  const queue = new DueQueue(context, NOW)
  queue.close()
  await fetchDueNotes(context, queue)
  const { dueAt } = (await store.load('one', ['any'])).notes.get('any')?.state ?? {}
  return { requests, dueAt }
}

it('a due note is not fetched again and again at the same time, whatever its state and the answers are', async () => {
  const anyKeep = fc.constantFrom<readonly ('note' | 'transcript' | 'summary')[]>(
    ['note', 'transcript', 'summary'],
    ['note'],
  )
  let [fetched, retried] = [0, 0]
  await fc.assert(
    fc.asyncProperty(state, record, content, anyKeep, async (before, answer, parts, keep) => {
      const { requests, dueAt } = await requestsFor(before, answer as Note | undefined, parts, new Set(keep))
      expect(dueAt === null || (dueAt ?? 0) > NOW, `due at ${dueAt}`).toBe(true)
      fetched += requests
      if (dueAt !== null) retried += 1
    }),
    { numRuns: 1_000 },
  )
  // Histories in which nothing happens would prove little.
  expect(fetched).toBeGreaterThan(1_000)
  expect(retried).toBeGreaterThan(100)
})
