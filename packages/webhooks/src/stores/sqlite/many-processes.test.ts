import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { systemClock } from '@notewire/protocol'
import { temporaryPath } from 'notewire-test-servers'
import { expect, it, onTestFinished } from 'vitest'
import { sqliteStore } from './sqlite-store.ts'

const EVENTS = 600

it('twenty threads migrate one file at once', async () => {
  const path = temporaryPath(onTestFinished)
  const execArgv = ['--conditions=@notewire/source']
  const file = join(import.meta.dirname, '../../../fixtures/stores/sqlite/migrate.ts')
  const threads = Array.from({ length: 20 }, () => new Worker(file, { workerData: path, execArgv }))
  const exits = await Promise.all(threads.map((thread) => once(thread, 'exit')))
  expect(exits.flat()).toEqual(Array.from({ length: 20 }, () => 0))
})

it('four processes on one file apply every event once, and never lower a revision', async () => {
  const path = temporaryPath(onTestFinished)
  const workers = ['node:sqlite', 'node:sqlite', 'better-sqlite3', 'better-sqlite3'].map((driver) =>
    startWorker(path, driver),
  )
  const answers = await Promise.all(workers.map(({ answers }) => answers))
  const total = (answer: string) => answers.reduce((sum, each) => sum + (each[answer] ?? 0), 0)
  // Each worker got a final answer for each event: committed by itself, duplicate, or stale.
  expect(total('committed') + total('duplicate') + total('stale')).toBe(4 * EVENTS)
  expect(effectsIn(path)).toHaveLength(total('committed'))
  expectOnceAndInOrder(path)
})

it('processes that are killed repeatedly lose no event and apply none twice', async () => {
  const path = temporaryPath(onTestFinished)
  const signals: (NodeJS.Signals | null)[] = []
  let survivor: ApplyingProcess | undefined
  for (const driver of ['node:sqlite', 'better-sqlite3', 'node:sqlite', 'better-sqlite3', 'node:sqlite']) {
    const worker = startWorker(path, driver)
    await worker.hasClaimed
    survivor ??= startWorker(path, 'node:sqlite')
    await sleep(Math.random() * 100)
    worker.process.kill('SIGKILL')
    await worker.answers
    signals.push(worker.process.signalCode)
  }
  await survivor?.answers
  // At least one was killed before it ended.
  expect(signals).toContain('SIGKILL')
  expectOnceAndInOrder(path)
})

it('the event of a killed process can be claimed after its lease expires, and its uncommitted rows are rolled back', async () => {
  const path = temporaryPath(onTestFinished)
  const leaseMs = 60_000
  let aheadMs = 0
  const clock = { ...systemClock, now: () => systemClock.now() + aheadMs }
  const holder = startProcess('hold-claim.ts', path, String(leaseMs))
  const [token] = await once(holder.stdout, 'data')
  holder.kill('SIGKILL')
  await once(holder, 'close')
  const store = sqliteStore(path, { clock })
  onTestFinished(() => store.close())
  const claim = () =>
    store.claim({ integration: 'default', eventId: 'held', gate: 'strict', leaseMs, keepMs: 97_200_000 })
  expect(await claim()).toEqual({ status: 'busy' })
  aheadMs = leaseMs
  const next = await claim()
  expect(next.status === 'claimed' && BigInt(next.claim.fencingToken)).toBeGreaterThan(BigInt(String(token)))
  expect(effectsIn(path)).toEqual([])
})

interface ApplyingProcess {
  readonly process: ChildProcess
  /** Resolves before its first transaction, or when it ends. */
  readonly hasClaimed: Promise<unknown>
  readonly answers: Promise<Readonly<Record<string, number>>>
}

function startWorker(path: string, driver: string): ApplyingProcess {
  const worker = startProcess('apply-events.ts', path, driver, String(EVENTS))
  let printed = ''
  worker.stdout.on('data', (text) => {
    printed += text
  })
  const ended = once(worker, 'close')
  return {
    process: worker,
    hasClaimed: Promise.race([once(worker.stdout, 'data'), ended]),
    answers: ended.then(() => JSON.parse(printed.split('\n').at(-1) || '{}')),
  }
}

function startProcess(fixture: string, ...args: string[]) {
  const file = join(import.meta.dirname, '../../../fixtures/stores/sqlite', fixture)
  return spawn(process.execPath, ['--conditions=@notewire/source', file, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

function effectsIn(path: string): { readonly event_id: string; readonly note_id: string; readonly revision: number }[] {
  const database = new DatabaseSync(path, { readOnly: true })
  const effects = database.prepare('SELECT event_id, note_id, revision FROM effects ORDER BY rowid').all()
  database.close()
  return effects as ReturnType<typeof effectsIn>
}

function expectOnceAndInOrder(path: string): void {
  const effects = effectsIn(path)
  expect(new Set(effects.map(({ event_id }) => event_id)).size).toBe(effects.length)
  const byNote = Map.groupBy(effects, ({ note_id }) => note_id)
  expect(byNote.size).toBe(10)
  for (const [noteId, applied] of byNote) {
    const revisions = applied.map(({ revision }) => revision)
    expect(revisions, noteId).toEqual(revisions.toSorted((a, b) => a - b))
    // The highest revision of the note was applied.
    expect(revisions.at(-1), noteId).toBe(EVENTS - 10 + Number(noteId.slice('note '.length)))
  }
}
