import type { ErrorFacts } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../fixtures/consuming/manual-clock.ts'
import { NoteWriter } from '../../fixtures/consuming/note-writer.ts'
import { memoryMirror } from '../../fixtures/memory-mirror/memory-mirror.ts'
import { mirroredService } from '../../fixtures/mirrored-service.ts'
import { onClock } from '../../fixtures/on-clock.ts'
import { SILENT } from '../../fixtures/silent-logger.ts'
import { aSummary } from '../../fixtures/store-checks/builders.ts'
import { type ConsumerChange, type ConsumerContext, type MirrorStore, openMirror } from '../index.ts'

function aConsumedMirror() {
  const store = memoryMirror()
  const clock = new ManualClock()
  const problems: unknown[] = []
  const mirror = openMirror({
    store: onClock(store, clock),
    logger: SILENT,
    hooks: { onProblem: (problem) => problems.push(problem) },
  })
  return { store, clock, problems, mirror, notes: new NoteWriter(store) }
}

/** An application that stores titles, and can be made to fail. */
function anIndex() {
  const titles = new Map<string, unknown>()
  const calls: string[][] = []
  const failing = new Set<string>()
  const apply = (changes: readonly ConsumerChange[]) => {
    calls.push(changes.map(({ noteId }) => noteId))
    if (changes.some(({ noteId }) => failing.has(noteId) || failing.has('all'))) {
      throw Object.assign(new TypeError('the note says "secret"'), { code: 'E_NOTE' })
    }
    for (const change of changes) {
      if (change.kind === 'removed') titles.delete(change.noteId)
      else titles.set(change.noteId, change.note.title)
    }
  }
  return { titles, calls, failing, options: { name: 'index', apply } }
}

describe('a consumer', () => {
  it('gets each live note once, then changes, and continues at its cursor', async () => {
    const { mirror, notes } = aConsumedMirror()
    const index = anIndex()
    await notes.show('gone', 'Before')
    await notes.remove('gone')
    for (const noteId of ['a', 'b', 'c']) await notes.show(noteId, 'First')
    expect((await mirror.consumerStatus('index')).lag).toBe(4)
    expect(await mirror.consumeDue({ ...index.options, batchSize: 3 })).toMatchObject({
      applied: 2,
      nextAt: expect.any(Number),
    })
    expect(await mirror.consumeDue({ ...index.options, batchSize: 3 })).toEqual({ applied: 1, failed: 0, nextAt: null })
    expect(await mirror.consumeDue(index.options)).toEqual({ applied: 0, failed: 0, nextAt: null })
    await notes.show('b', 'Second')
    await notes.remove('c')
    await mirror.consumeDue(index.options)
    expect(index.calls).toEqual([['a', 'b'], ['c'], ['b', 'c']])
    expect([...index.titles]).toEqual([
      ['a', 'First'],
      ['b', 'Second'],
    ])
    expect(await mirror.consumerStatus('index')).toEqual({
      hasRun: true,
      lag: 0,
      waiting: 0,
      parked: [],
      backoff: null,
    })
  })

  it('gets the parts that changed since its last applied change, and a change when a note is settled', async () => {
    const { mirror, notes } = aConsumedMirror()
    const got: unknown[] = []
    const apply = (changes: readonly ConsumerChange[]) => {
      for (const change of changes) if (change.kind === 'content') got.push([change.parts, change.isSettled])
    }
    await notes.show('a', 'One', {}, false)
    await mirror.consumeDue({ name: 'index', apply })
    await notes.show('a', 'Two', {}, false)
    await notes.show('a', 'Two', { summary: aSummary('a') })
    await mirror.consumeDue({ name: 'index', apply })
    await notes.show('a', 'Two', { summary: { ...aSummary('a'), revision: 2 } })
    await mirror.consumeDue({ name: 'index', apply })
    const all = ['title', 'content', 'transcript', 'summary', 'statuses']
    expect(got).toEqual([
      [all, false],
      [['title', 'summary'], true],
      [[], true],
    ])
  })

  it('gets one removal of a note that is hidden and then gone, and all parts of a restored note', async () => {
    const { mirror, notes } = aConsumedMirror()
    const kinds: string[] = []
    const apply = (changes: readonly ConsumerChange[]) => {
      for (const change of changes) kinds.push(change.kind === 'removed' ? 'removed' : `${change.parts.length} parts`)
    }
    const step = async (act: () => Promise<void>) => {
      await act()
      await mirror.consumeDue({ name: 'index', apply })
    }
    await step(() => notes.show('a', 'One'))
    await step(() => notes.hide('a'))
    await step(() => notes.remove('a'))
    await step(() => notes.show('a', 'One'))
    expect(kinds).toEqual(['5 parts', 'removed', '5 parts'])
  })

  it('retries a note that fails alone with growing pauses, and then parks it, while others continue', async () => {
    const { mirror, notes, clock, problems } = aConsumedMirror()
    const index = anIndex()
    index.failing.add('bad')
    for (const noteId of ['good', 'bad', 'fine']) await notes.show(noteId, 'First')
    const report = await mirror.consumeDue(index.options)
    expect(report).toEqual({ applied: 2, failed: 1, nextAt: clock.now() + 1_000 })
    expect(index.calls).toEqual([['good', 'bad', 'fine'], ['good'], ['bad'], ['fine']])
    const pauses: number[] = []
    for (let nextAt = report.nextAt; nextAt !== null; ) {
      pauses.push(nextAt - clock.now())
      clock.advance(nextAt - clock.now())
      nextAt = (await mirror.consumeDue(index.options)).nextAt
    }
    expect(pauses).toEqual([1, 4, 16, 64, 256, 1024, 4096].map((seconds) => seconds * 1_000))
    const error: ErrorFacts = { name: 'TypeError', code: 'E_NOTE' }
    const parked = [{ noteId: 'bad', parkedAt: new Date(clock.now()), error }]
    expect(await mirror.consumerStatus('index')).toEqual({ hasRun: true, lag: 0, waiting: 0, parked, backoff: null })
    expect(problems).toContainEqual({
      integration: mirror.integration,
      error: expect.any(TypeError),
      noteId: 'bad',
      isRepeated: false,
    })

    index.failing.clear()
    expect(await mirror.retryParked('index')).toBe(1)
    await mirror.consumeDue(index.options)
    expect(index.titles.get('bad')).toBe('First')
    expect((await mirror.consumerStatus('index')).parked).toEqual([])
  })

  it('replaces a waiting note by its later change, and drops it after a removal', async () => {
    const { mirror, notes, clock } = aConsumedMirror()
    const index = anIndex()
    index.failing.add('a').add('b')
    for (const noteId of ['a', 'b', 'c']) await notes.show(noteId, 'First')
    await mirror.consumeDue(index.options)
    index.failing.clear()
    await notes.show('a', 'Second')
    await notes.remove('b')
    await mirror.consumeDue(index.options)
    expect([...index.titles].sort()).toEqual([
      ['a', 'Second'],
      ['c', 'First'],
    ])
    clock.advance(60_000)
    index.calls.length = 0
    await mirror.consumeDue(index.options)
    expect(index.calls).toEqual([])
  })

  it('backs off if all changes fail, and counts no attempts', async () => {
    const { mirror, notes, clock } = aConsumedMirror()
    const index = anIndex()
    index.failing.add('all')
    for (const noteId of ['a', 'b']) await notes.show(noteId, 'First')
    for (const pauseMs of [1_000, 2_000, 4_000]) {
      const { nextAt, failed } = await mirror.consumeDue(index.options)
      expect([failed, nextAt]).toEqual([2, clock.now() + pauseMs])
      expect(await mirror.consumeDue(index.options)).toEqual({ applied: 0, failed: 0, nextAt })
      clock.advance(pauseMs)
    }
    const { lag, waiting, backoff } = await mirror.consumerStatus('index')
    expect({ lag, waiting, backoff }).toMatchObject({
      lag: 2,
      waiting: 0,
      backoff: { failures: 3, error: { code: 'E_NOTE' } },
    })
    index.failing.clear()
    expect(await mirror.consumeDue(index.options)).toEqual({ applied: 2, failed: 0, nextAt: null })
  })

  it('is not blocked by notes that fail, even if they fill a batch', async () => {
    const { mirror, notes, clock } = aConsumedMirror()
    const index = anIndex()
    const bad = ['x', 'y', 'z']
    for (const noteId of bad) await notes.show(noteId, 'First')
    for (const noteId of bad) index.failing.add(noteId)
    await notes.show('good', 'First')
    for (let rounds = 0; rounds < 10 && !index.titles.has('good'); rounds += 1) {
      await mirror.consumeDue({ ...index.options, batchSize: 1 })
      clock.advance(300_000)
    }
    expect([...index.titles]).toEqual([['good', 'First']])
    expect((await mirror.consumerStatus('index')).waiting).toBe(3)
  })

  it('shares a cursor among processes: one consumes, and another continues when the lease has expired', async () => {
    const { mirror: other, store, notes, clock } = aConsumedMirror()
    let isFrozen = true
    const frozen: MirrorStore = {
      ...store,
      commitConsumer: (integration, name, commit) =>
        isFrozen && 'leaseUntil' in commit
          ? Promise.reject(new Error('connection lost'))
          : store.commitConsumer(integration, name, commit),
    }
    const mirror = openMirror({ store: onClock(frozen, clock) })
    await notes.show('a', 'First')
    const index = anIndex()
    const lost = await new Promise<unknown>((resolve) => {
      const hang = async (_: unknown, { signal }: ConsumerContext) => {
        expect(await other.consumeDue(index.options)).toEqual({ applied: 0, failed: 0, nextAt: clock.now() + 30_000 })
        clock.advance(31_000)
        expect(await other.consumeDue(index.options)).toMatchObject({ applied: 1 })
        isFrozen = false
        clock.advance(10_000)
        if (!signal.aborted) await new Promise((gone) => signal.addEventListener('abort', gone))
        resolve(signal.reason)
        throw signal.reason
      }
      void mirror.consumeDue({ name: 'index', apply: hang })
    })
    expect(lost).toMatchObject({ code: 'consumer_lost' })
    expect(index.calls).toEqual([['a']])
  })

  it('renews its lease while apply runs', async () => {
    const { mirror, store, notes, clock } = aConsumedMirror()
    const other = openMirror({ store: onClock(store, clock), logger: SILENT })
    await notes.show('a', 'First')
    const index = anIndex()
    const apply = async () => {
      for (let turns = 0; turns < 20; turns += 1) {
        clock.advance(10_000)
        await new Promise(setImmediate)
        expect((await other.consumeDue(index.options)).applied).toBe(0)
      }
    }
    expect(await mirror.consumeDue({ name: 'index', apply })).toEqual({ applied: 1, failed: 0, nextAt: null })
    expect(index.calls).toEqual([])
  })

  it('renews its lease while it applies single notes, even if each is quick', async () => {
    const { mirror, store, notes, clock } = aConsumedMirror()
    const other = openMirror({ store: onClock(store, clock), logger: SILENT })
    for (const noteId of ['a', 'b', 'c', 'd', 'e', 'f']) await notes.show(noteId, 'First')
    const index = anIndex()
    const apply = async (changes: readonly ConsumerChange[]) => {
      clock.advance(9_000)
      await new Promise(setImmediate)
      expect((await other.consumeDue(index.options)).applied).toBe(0)
      if (changes[0]?.noteId !== 'f') throw new Error('fails')
    }
    expect(await mirror.consumeDue({ name: 'index', apply })).toMatchObject({ applied: 1, failed: 5 })
    expect(index.calls).toEqual([])
  })

  it('counts no attempts when it is aborted, and releases its lease', async () => {
    const { mirror, notes } = aConsumedMirror()
    const index = anIndex()
    await notes.show('a', 'First')
    const end = new AbortController()
    const apply = (_: unknown, { signal }: ConsumerContext) => {
      end.abort(new Error('shutdown'))
      signal.throwIfAborted()
    }
    await mirror.consume({ name: 'index', signal: end.signal, apply })
    expect(await mirror.consumerStatus('index')).toEqual({
      hasRun: true,
      lag: 1,
      waiting: 0,
      parked: [],
      backoff: null,
    })
    expect(await mirror.consumeDue(index.options)).toEqual({ applied: 1, failed: 0, nextAt: null })
  })

  it('rejects commit if the store has no transactions', async () => {
    const { mirror, notes, problems } = aConsumedMirror()
    await notes.show('a', 'First')
    const apply = async (_: unknown, { commit }: ConsumerContext) => commit(undefined as never)
    expect(await mirror.consumeDue({ name: 'index', apply })).toMatchObject({ failed: 1 })
    expect(problems).toMatchObject([{ error: { message: expect.stringContaining('needs a store with transactions') } }])
  })

  it.each(['migrate', 'listConsumers'] as const)(
    'continues until the signal fires, even after %s of the store failed',
    async (operation) => {
      const { store, notes, clock, problems } = aConsumedMirror()
      let fails = 2
      const flaky = (...asked: unknown[]) => {
        fails -= 1
        return fails < 0 ? Reflect.apply(store[operation], store, asked) : Promise.reject(new Error('connection lost'))
      }
      const mirror = openMirror({
        store: onClock({ ...store, [operation]: flaky }, clock),
        logger: SILENT,
        hooks: { onProblem: (problem) => problems.push(problem) },
      })
      const index = anIndex()
      const end = new AbortController()
      const consuming = mirror.consume({ ...index.options, signal: end.signal })
      for (const title of ['First', 'Second']) {
        await notes.show('a', title)
        await expect.poll(() => clock.advance(1_000) ?? index.titles.get('a'), { interval: 5 }).toBe(title)
      }
      end.abort()
      await consuming
      expect(problems).toHaveLength(2)
    },
  )

  it('rejects invalid options, with the fix', async () => {
    const { mirror } = aConsumedMirror()
    const index = anIndex()
    await expect(mirror.consumeDue({ ...index.options, name: '' })).rejects.toThrow(/'search'/)
    await expect(mirror.consumeDue({ ...index.options, batchSize: 0 })).rejects.toThrow(/batchSize/)
    await expect(mirror.consumeDue({ ...index.options, apply: 1 as never })).rejects.toThrow(/apply is not a function/)
    await expect(mirror.consume({ name: 'index', apply: index.options.apply } as never)).rejects.toThrow(/AbortSignal/)
  })

  it('gets changes of a mirror of the service, and a note settled with its summary', async () => {
    await using stage = await mirroredService({ notes: 3 })
    const { service, mirror } = stage
    const seen = new Map<string, readonly unknown[]>()
    const apply = (changes: readonly ConsumerChange[]) => {
      for (const change of changes) {
        if (change.kind === 'removed') seen.delete(change.noteId)
        else seen.set(change.noteId, [change.note.title, change.summary?.markdown, change.isSettled, change.parts])
      }
    }
    const index = { name: 'index', apply }
    await mirror.sync()
    await mirror.consumeDue(index)
    const copy: unknown[][] = []
    for await (const { note, summary } of mirror.list()) copy.push([note.note_id, note.title, summary?.markdown, true])
    expect(
      [...seen].map(([noteId, [title, summary, isSettled]]) => [noteId, title, summary, isSettled]).sort(),
    ).toEqual(copy.sort())

    const [edited, deleted] = service.owner.notes()
    edited?.edit({ title: 'Edited' })
    deleted?.delete()
    await mirror.sync({ fullListing: 'now' })
    await mirror.consumeDue(index)
    expect(seen.get(String(edited?.note_id))).toMatchObject(['Edited', expect.anything(), true, ['title']])
    expect(seen.has(String(deleted?.note_id))).toBe(false)
  })
})
