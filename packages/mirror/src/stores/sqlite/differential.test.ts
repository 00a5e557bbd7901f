import { betterSqlite } from '@notewire/storage'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { memoryMirror } from '../../../fixtures/memory-mirror/memory-mirror.ts'
import { anyNoteState } from '../../../fixtures/store-checks/any-note-state.ts'
import { anyHistory, HistoryPlayer } from '../../../fixtures/store-checks/mirror-history.ts'
import { reads } from '../../../fixtures/store-reads.ts'
import { sqliteMirror } from './sqlite-mirror.ts'

const stores = {
  'node:sqlite': () => sqliteMirror(':memory:'),
  'better-sqlite3': () => sqliteMirror(betterSqlite(new Database(':memory:'))),
}

it.each(Object.entries(stores))('%s answers like the store in memory for any history', async (_driver, open) => {
  const answered = new Map<unknown, number>()
  const store = open()
  await store.migrate()
  let run = 0
  await fc.assert(
    fc.asyncProperty(anyHistory, async (steps) => {
      run += 1
      const sqlite = new HistoryPlayer(store, ` ${run}`)
      const memory = new HistoryPlayer(memoryMirror())
      const lastLook = ['personal', 'channel'].map(
        (integration) => ({ do: 'read', integration, word: 'walrus', startSequence: 9 }) as const,
      )
      for (const step of [...steps, ...lastLook]) {
        const answer = await memory.play(step)
        expect(await sqlite.play(step), JSON.stringify(step)).toEqual(answer)
        const kind = step.do === 'commit' ? answer : step.do
        answered.set(kind, (answered.get(kind) ?? 0) + 1)
      }
    }),
    { numRuns: 150 },
  )
  await store.close?.()
  // Histories with few effects would prove little.
  for (const answer of ['committed', 'conflict', 'due', 'read', 'load']) {
    expect(answered.get(answer), answer).toBeGreaterThan(100)
  }
})

it('stores every field of every state', async () => {
  const store = sqliteMirror(':memory:')
  await store.migrate()
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(anyNoteState('any'), { minLength: 1, maxLength: 5 }), async (states) => {
      run += 1
      for (const [expectedVersion, state] of states.entries()) {
        await store.commit(String(run), { notes: [{ state, expectedVersion }] })
        expect((await reads(store).getNote(String(run), 'any'))?.state).toEqual(state)
      }
    }),
    { numRuns: 500 },
  )
  await store.close?.()
})
