import { describe, expect, it } from 'vitest'
import { atMost } from './calls.ts'

async function turn(): Promise<void> {
  for (let count = 0; count < 5; count += 1) await Promise.resolve()
}

describe('limited tasks', () => {
  it('run two at a time, in order, also if one rejects', async () => {
    const limit = atMost(2)
    const ends: (() => void)[] = []
    const begun: number[] = []
    const tasks = [0, 1, 2, 3].map((task) =>
      limit(async () => {
        begun.push(task)
        await new Promise<void>((resolve) => void ends.push(resolve))
        if (task === 0) throw new Error('no')
      }),
    )
    const outcomes = Promise.allSettled(tasks)
    await turn()
    expect(begun).toEqual([0, 1])
    for (const end of ends.splice(0)) end()
    await turn()
    expect(begun).toEqual([0, 1, 2, 3])
    for (const end of ends) end()
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled'])
  })
})
