import { DatabaseSync } from 'node:sqlite'
import { temporaryPath } from 'notewire-test-servers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ManualClock } from '../../../fixtures/consuming/manual-clock.ts'
import { NoteWriter } from '../../../fixtures/consuming/note-writer.ts'
import { onClock } from '../../../fixtures/on-clock.ts'
import { SILENT } from '../../../fixtures/silent-logger.ts'
import { type ConsumerChange, openMirror } from '../../index.ts'
import { sqliteMirror } from './sqlite-mirror.ts'

interface Given {
  /** Begins a transaction, and writes the changes. */
  readonly begin: () => void
  readonly commit: () => void
  readonly end: (how: 'COMMIT' | 'ROLLBACK') => void
  readonly retryParked: () => Promise<number>
}

type Act = (given: Given) => Promise<void>

/** A consumer that has parked the note `a`, and has two new changes. */
async function aConsumerWithAParkedNote() {
  const path = temporaryPath(onTestFinished)
  const store = sqliteMirror(path)
  await store.migrate()
  const database = new DatabaseSync(path, { timeout: 5_000 })
  database.exec('CREATE TABLE applied (id INTEGER PRIMARY KEY, change TEXT)')
  onTestFinished(() => {
    database.close()
    void store.close?.()
  })
  const insert = database.prepare('INSERT INTO applied (change) VALUES (?)')
  const readRows = () => {
    const rows = database.prepare('SELECT change FROM applied ORDER BY change, id').all()
    return rows.map(({ change }) => String(change))
  }
  const clock = new ManualClock()
  const problems: unknown[] = []
  const mirror = openMirror({
    store: onClock(store, clock),
    hooks: { onProblem: ({ error }) => problems.push(error) },
    logger: SILENT,
  })
  const notes = new NoteWriter(store)
  const name = 'index'
  await notes.show('a', 'First')
  await notes.show('first', 'First')
  for (let attempts = 0; attempts < 8; attempts += 1) {
    const apply = (changes: readonly ConsumerChange[]) => {
      if (changes.some(({ noteId }) => noteId === 'a')) throw new Error('fails')
    }
    await mirror.consumeDue({ name, apply })
    clock.advance(6 * 3_600_000)
  }
  await notes.show('b', 'First')
  await notes.show('c', 'First')
  problems.length = 0

  const consume = (act: Act, batchSize = 100) =>
    mirror.consumeDue({
      name,
      batchSize,
      apply: async (changes, { commit }) => {
        const begin = () => {
          database.exec('BEGIN IMMEDIATE')
          for (const { noteId } of changes) insert.run(noteId)
        }
        await act({
          begin,
          commit: () => void commit(database),
          end: (how) => database.exec(how),
          retryParked: () => mirror.retryParked(name),
        })
      },
    })
  async function consumeAll() {
    for (let rounds = 0; rounds < 5; rounds += 1) {
      clock.advance(2_000)
      await consume(COMMITTED)
    }
  }
  expect(await mirror.consumerStatus(name)).toMatchObject({ lag: 2, parked: [{ noteId: 'a' }] })
  return { consume, consumeAll, readRows, problems, mirror, name }
}

const COMMITTED: Act = async ({ begin, commit, end }) => {
  begin()
  commit()
  end('COMMIT')
}

const ROLLED_BACK: Readonly<Record<string, Act>> = {
  'after its rollback': async ({ begin, commit, end, retryParked }) => {
    begin()
    commit()
    end('ROLLBACK')
    await retryParked()
  },
  'before its transaction': async ({ begin, commit, end, retryParked }) => {
    await retryParked()
    begin()
    try {
      commit()
    } catch (error) {
      end('ROLLBACK')
      throw error
    }
  },
}

describe('retryParked while apply runs with SQLite', () => {
  it.each(Object.entries(ROLLED_BACK))('loses no change of a batch that is rolled back: %s', async (_when, act) => {
    const { consume, consumeAll, readRows, mirror, name, problems } = await aConsumerWithAParkedNote()
    expect(await consume(act, 1)).toMatchObject({ applied: 0, failed: 1 })
    expect(problems).toMatchObject([{ code: 'transaction_not_committed' }])
    await consumeAll()
    expect(readRows()).toEqual(['a', 'b', 'c'])
    expect(await mirror.consumerStatus(name)).toEqual({ hasRun: true, lag: 0, waiting: 0, parked: [], backoff: null })
  })

  it.each(Object.entries(ROLLED_BACK))('loses no change that is sent alone: %s', async (_when, act) => {
    const { consume, consumeAll, readRows } = await aConsumerWithAParkedNote()
    let calls = 0
    const outcome = await consume(async (given) => {
      calls += 1
      if (calls === 1) throw new Error('the batch fails')
      await (calls === 2 ? act : COMMITTED)(given)
    })
    expect(outcome).toMatchObject({ applied: 1, failed: 1 })
    await consumeAll()
    expect(readRows()).toEqual(['a', 'b', 'c'])
  })

  it('does not apply a committed change again', async () => {
    const { consume, consumeAll, readRows } = await aConsumerWithAParkedNote()
    let calls = 0
    const outcome = await consume(async (given) => {
      calls += 1
      if (calls === 1) throw new Error('the batch fails')
      await COMMITTED(given)
      await given.retryParked()
      throw new Error('after the commit')
    })
    expect(outcome).toMatchObject({ applied: 2, failed: 0 })
    await consumeAll()
    expect(readRows()).toEqual(['a', 'b', 'c'])
  })

  it('does not apply changes again whose second commit was rejected', async () => {
    const { consume, consumeAll, readRows } = await aConsumerWithAParkedNote()
    const outcome = await consume(async (given) => {
      await COMMITTED(given)
      given.begin()
      try {
        given.commit()
      } catch {
        given.end('ROLLBACK')
      }
    })
    expect(outcome).toMatchObject({ applied: 2, failed: 0 })
    await consumeAll()
    expect(readRows()).toEqual(['b', 'c'])
  })
})
