import { describe, expect, it } from 'vitest'
import { readEffects, timesApplied } from './examination.ts'

describe('readEffects', () => {
  it.each([
    ['["a","b","a"]', 2, 1],
    ['{"event_ids":["a","b","a"]}', 2, 1],
    ['[]', 0, 0],
  ])('counts applied events in %s', (text, timesA, timesB) => {
    const applied = readEffects(JSON.parse(text))
    expect(['a', 'b'].map((event_id) => timesApplied(applied, { event_id }))).toEqual([timesA, timesB])
  })

  it.each(['{}', '7', 'null', '{"event_ids":7}'])('rejects %s and names the accepted shapes', (text) => {
    expect(() => readEffects(JSON.parse(text))).toThrow(/an array with the event_id of each event that was applied/)
  })
})
