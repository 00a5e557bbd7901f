import { describe, expect, it } from 'vitest'
import { Batch } from './batch.ts'

/** A batch of 3 items whose timers and writes the test ends. */
function aBatch() {
  const written: (readonly string[])[] = []
  const timers: (() => void)[] = []
  const writes: PromiseWithResolvers<void>[] = []
  const batch = new Batch<string>(
    3,
    () => new Promise((resolve) => timers.push(resolve)),
    (items) => {
      written.push(items)
      const write = Promise.withResolvers<void>()
      writes.push(write)
      return write.promise
    },
  )
  const addAll = async (items: string) => {
    for (const item of items) await batch.add(item)
  }
  return { batch, written, timers, writes, addAll }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('a batch', () => {
  it('writes items together when enough wait', async () => {
    const { written, addAll } = aBatch()
    await addAll('abcd')
    await turn()
    expect(written).toEqual([['a', 'b', 'c']])
  })

  it('writes fewer items when the first has waited long enough', async () => {
    const { written, timers, addAll } = aBatch()
    await addAll('ab')
    timers[0]?.()
    await turn()
    expect(written).toEqual([['a', 'b']])
  })

  it('does not write later items when the timer of earlier ones ends', async () => {
    const { written, timers, addAll } = aBatch()
    await addAll('abcd')
    timers[0]?.()
    await turn()
    expect(written).toEqual([['a', 'b', 'c']])
  })

  it('makes its callers wait while the write before is not done', async () => {
    const { batch, writes, addAll } = aBatch()
    await addAll('abcde')
    let isAdded = false
    const added = batch.add('f').then(() => {
      isAdded = true
    })
    await turn()
    expect(isAdded).toBe(false)
    writes[0]?.resolve()
    await added
  })

  it('flushes what waits after what is being written', async () => {
    const { batch, written, writes, addAll } = aBatch()
    await addAll('abcd')
    const flushed = batch.flush()
    await turn()
    writes[0]?.resolve()
    await turn()
    expect(written).toEqual([['a', 'b', 'c'], ['d']])
    writes[1]?.resolve()
    expect(await flushed).toBe(true)
    expect(await batch.flush()).toBe(false)
  })

  it('rejects in flush, and writes nothing more, after a write that failed', async () => {
    const { batch, written, writes, addAll } = aBatch()
    await addAll('abcd')
    await turn()
    writes[0]?.reject(new Error('the disk is full'))
    await expect(batch.flush()).rejects.toThrow('the disk is full')
    expect(written).toEqual([['a', 'b', 'c']])
  })
})
