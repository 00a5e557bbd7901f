import { describe, expect, it } from 'vitest'
import { decodeCheckpoint, encodeCheckpoint } from './checkpoint.ts'

const payloadOf = (checkpoint: string) => checkpoint.split('.')[2] ?? ''
const VALID = encodeCheckpoint({ since: null })

describe('the text of a checkpoint', () => {
  it('contains the number of idle pages in binary, as white space', () => {
    const progress = { since: null, underWay: { cursor: 'c', until: 0, idlePages: 10 } }
    const checkpoint = encodeCheckpoint(progress)
    expect(atob(payloadOf(checkpoint))).toBe('\t \t [null,0,"c"]')
    expect(decodeCheckpoint(checkpoint)).toEqual(progress)
  })

  it('replaces what is special in a URL', () => {
    const progress = { since: null, underWay: { cursor: '???>>>', until: 0 } }
    const checkpoint = encodeCheckpoint(progress)
    expect(payloadOf(checkpoint)).toMatch(/-/)
    expect(payloadOf(checkpoint)).toMatch(/_/)
    expect(decodeCheckpoint(checkpoint)).toEqual(progress)
  })

  it('may have the latest date', () => {
    const progress = { since: 8_640_000_000_000_000 }
    expect(decodeCheckpoint(encodeCheckpoint(progress))).toEqual(progress)
  })
})

it.each<[string, unknown]>([
  ['is not a complete checkpoint', 'cursor-7'],
  ['is not a complete checkpoint', `${VALID} `],
  ['is not a complete checkpoint', ` ${VALID}`],
  ['is not a complete checkpoint', [VALID]],
  ['checkpoint version 12;', 'changes.12.W10'],
  ["is bytes. Read the file as text: await readFile('checkpoint', 'utf8').", new TextEncoder().encode(VALID)],
  ['is a promise. Pass the checkpoint itself: await it.', Promise.resolve(VALID)],
  ['is a date. Pass the checkpoint of a page unchanged', new Date(0)],
])('an error about another value says that it %s', (problem, after) => {
  const error = { option: 'after', message: expect.stringContaining(problem) }
  expect(() => decodeCheckpoint(after)).toThrow(expect.objectContaining(error))
})
