import { describe, expect, it } from 'vitest'
import { readEffects } from './effects.ts'

describe('what a receiver tells of its effects', () => {
  it.each([
    ['["a","b","a"]', 2, 1],
    ['{"event_ids":["a","b","a"]}', 2, 1],
    ['7', 7, 7],
    ['{"count":7}', 7, 7],
    ['[]', 0, 0],
  ])('is read from %s', (text, ofA, ofB) => {
    const count = readEffects(text)
    expect([count('a'), count('b')]).toEqual([ofA, ofB])
  })

  it.each(['', '<html>', '{}', '"7"', 'null', '{"count":"7"}'])(
    'is refused as %j, with the shapes that are read',
    (text) => {
      expect(() => readEffects(text)).toThrow(/a number, \{ "count": 3 \}, an array of the ids/)
    },
  )
})
