import { describe, expect, it } from 'vitest'
import { atMost, coalesce } from './calls.ts'

describe('coalesced calls', () => {
  it('share the next run, which began after the calls', async () => {
    const runs: { readonly members: readonly string[]; readonly end: () => void }[] = []
    const join = coalesce<string, number>(
      (members) => new Promise((resolve) => runs.push({ members, end: () => resolve(runs.length) })),
    )
    const first = join('a')
    await turn()
    const second = [join('b'), join('c')]
    await turn()
    expect(runs.map(({ members }) => members)).toEqual([['a']])
    runs[0]?.end()
    expect(await first).toBe(1)
    await turn()
    expect(runs[1]?.members).toEqual(['b', 'c'])
    runs[1]?.end()
    expect(await Promise.all(second)).toEqual([2, 2])
  })

  it('reject only if their own run rejects', async () => {
    let runs = 0
    const join = coalesce<string, string>(async ([member = '']) => {
      runs += 1
      if (runs === 1) throw new Error(`no ${member}`)
      return member
    })
    const first = join('a')
    await expect(first).rejects.toThrow('no a')
    expect(await join('b')).toBe('b')
  })
})

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
