import { describe, expect, it } from 'vitest'
import { sharingRuns } from './shared-runs.ts'

/** A function whose runs the test ends. */
function heldRuns() {
  const runs: { members: readonly string[]; signal: AbortSignal; end: () => void }[] = []
  const call = sharingRuns<string, number>((members, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    signal.addEventListener('abort', () => reject(signal.reason))
    runs.push({ members, signal, end: () => resolve(runs.length) })
    return promise
  })
  return { runs, call }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('concurrent calls', () => {
  it('share a run, and those that come during it share the next', async () => {
    const { runs, call } = heldRuns()
    const first = [call('a', undefined), call('b', undefined)]
    await turn()
    const second = [call('c', undefined), call('d', undefined)]
    await turn()
    expect(runs.map(({ members }) => members)).toEqual([['a', 'b']])
    runs[0]?.end()
    expect(await Promise.all(first)).toEqual([1, 1])
    await turn()
    runs[1]?.end()
    expect(await Promise.all(second)).toEqual([2, 2])
    expect(runs.map(({ members }) => members)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ])
  })

  it('are rejected together if the run fails, and the next run begins', async () => {
    let runs = 0
    const call = sharingRuns<string, number>(async () => {
      runs += 1
      if (runs === 1) throw new Error('down')
      return runs
    })
    const outcomes = await Promise.allSettled([call('a', undefined), call('b', undefined)])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await call('c', undefined)).toBe(2)
  })
})

describe('an abort', () => {
  it('ends its own call, and not the run that others wait for', async () => {
    const { runs, call } = heldRuns()
    const leaving = new AbortController()
    const left = call('a', leaving.signal)
    const stays = call('b', new AbortController().signal)
    await turn()
    leaving.abort(new Error('left'))
    await expect(left).rejects.toThrow('left')
    expect(runs[0]?.signal.aborted).toBe(false)
    runs[0]?.end()
    expect(await stays).toBe(1)
  })

  it('of all calls ends the run, and a later call begins another', async () => {
    const { runs, call } = heldRuns()
    const leaving = new AbortController()
    const left = [call('a', leaving.signal), call('b', leaving.signal)]
    await turn()
    leaving.abort(new Error('left'))
    for (const one of left) await expect(one).rejects.toThrow('left')
    expect(runs[0]?.signal.aborted).toBe(true)
    const later = call('c', undefined)
    await turn()
    runs[1]?.end()
    expect(await later).toBe(2)
    expect(runs[1]?.members).toEqual(['c'])
  })

  it('before the run begins does not end the calls that come after it', async () => {
    const { runs, call } = heldRuns()
    const running = call('a', undefined)
    await turn()
    const leaving = new AbortController()
    const left = call('b', leaving.signal)
    leaving.abort(new Error('left'))
    const later = call('c', undefined)
    await expect(left).rejects.toThrow('left')
    runs[0]?.end()
    expect(await running).toBe(1)
    await turn()
    runs[1]?.end()
    expect(await later).toBe(2)
    expect(runs.map(({ members }) => members)).toEqual([['a'], ['c']])
  })

  it('before the call begins no run', async () => {
    const { runs, call } = heldRuns()
    await expect(call('a', AbortSignal.abort(new Error('left')))).rejects.toThrow('left')
    await turn()
    expect(runs).toEqual([])
  })
})
