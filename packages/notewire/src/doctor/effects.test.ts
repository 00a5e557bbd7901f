import { describe, expect, it } from 'vitest'
import { readEffects } from './examination.ts'

describe('readEffects', () => {
  it.each([
    ['["a","b","a"]', 2, 1],
    ['{"event_ids":["a","b","a"]}', 2, 1],
    ['7', 7, 7],
    ['{"count":7}', 7, 7],
    ['[]', 0, 0],
  ])('counts applied events in %s', (text, timesA, timesB) => {
    const count = readEffects(JSON.parse(text))
    expect([count('a'), count('b')]).toEqual([timesA, timesB])
  })

  it.each(['{}', '"7"', 'null', '{"count":"7"}'])('rejects %s and names the accepted shapes', (text) => {
    expect(() => readEffects(JSON.parse(text))).toThrow(/a number, \{ "count": 3 \}, an array of the IDs/)
  })
})
