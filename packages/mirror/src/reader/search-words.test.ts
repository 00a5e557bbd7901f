import { expect, it } from 'vitest'
import { searchWords } from './search-words.ts'

it('keeps the words of a usual search, the last one at the end', () => {
  expect(searchWords('  quarterly "stand-up" bud ')).toEqual(['quarterly', '"stand-up"', 'bud'])
  expect(searchWords('   ')).toEqual([])
})

it('drops repeated words, in any case and with any punctuation at their ends', () => {
  const repeated = ['walrus', 'WALRUS', 'Walrus,', '(walrus)', '"walrus"*', 'ВСТРЕЧА', 'встреча'].join(' ')
  expect(searchWords(`${`${repeated} `.repeat(400)}wal`)).toEqual(['walrus', 'ВСТРЕЧА', 'wal'])
})

it('keeps a last word that is repeated, because the other one is a whole word', () => {
  expect(searchWords('walrus '.repeat(400))).toEqual(['walrus', 'walrus'])
})

it('distinguishes words with other letters or accents', () => {
  const words = ['straße', 'strasse', 'cafe', 'café', 'v1.2', 'v12', 'end']
  expect(searchWords(words.join(' '))).toEqual(words)
})

it('keeps the first 15 words and the last one', () => {
  const words = Array.from({ length: 2_000 }, (_, index) => `w${index}`)
  expect(searchWords(words.join(' '))).toEqual([...words.slice(0, 15), 'w1999'])
})

it('cuts a word that consists of many words of the index', () => {
  expect(searchWords('walrus-'.repeat(1_000))).toEqual([`${'walrus-'.repeat(63)}walrus`])
  expect(searchWords(`${'a.'.repeat(100)} b`)).toEqual([`${'a.'.repeat(62)}a`, 'b'])
})

it.each(['*', '"', '😀', '\0', ' ', 'x', '\ud800'])('takes linear time for a million times %j', (character) => {
  expect(searchWords(character.repeat(1_000_000)).join('').length).toBeLessThanOrEqual(100_000)
})
