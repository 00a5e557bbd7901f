import { describe, expect, it } from 'vitest'
import { coalesce } from './coalesce.ts'

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
