import { describe, expect, it } from 'vitest'
import { readEffects } from './effects.ts'

describe('readEffects', () => {
  it.each([
    ['["a","b","a"]', 2, 1],
    ['{"event_ids":["a","b","a"]}', 2, 1],
    ['7', 7, 7],
    ['{"count":7}', 7, 7],
    ['[]', 0, 0],
  ])('counts applied events in %s', (text, timesA, timesB) => {
    const count = readEffects(text)
    expect([count('a'), count('b')]).toEqual([timesA, timesB])
  })

  it.each(['', '<html>', '{}', '"7"', 'null', '{"count":"7"}'])('rejects %j and names the accepted shapes', (text) => {
    expect(() => readEffects(text)).toThrow(/a number, \{ "count": 3 \}, an array of the IDs/)
  })
})
