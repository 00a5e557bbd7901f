/** How much of a query counts. SQLite and PostgreSQL rank in a time that grows with the square of the number of words that notes contain. */
const MAX_CHARACTERS = 100_000
const MAX_WORDS = 16
const MAX_TOKENS = 64

/**
 * The words of a search: the first 15 different words, and the last word, which may be the beginning of a word. Repeated words and further words
 * are left out. A word with punctuation inside it consists of several words of the index, so these are limited as well.
 */
export function searchWords(text: string): readonly string[] {
  const typed = text
    .slice(0, MAX_CHARACTERS)
    .split(/\s+/u)
    .filter((word) => word !== '')
  const last = typed.pop()
  if (last === undefined) return []
  const whole = new Map<string, string>()
  for (const word of typed) {
    const key = keyOf(word)
    if (!whole.has(key)) whole.set(key, word)
  }
  return withFewTokens([last, ...[...whole.values()].slice(0, MAX_WORDS - 1)])
}

/** What two spellings of the same word have in common: the index ignores case, and punctuation at both ends. */
function keyOf(word: string): string {
  const tokens = tokensOf(word)
  const [first] = tokens
  const end = tokens.at(-1)
  if (first === undefined || end === undefined) return word
  return word.slice(first.index, end.index + end[0].length).toLowerCase()
}

/** @param words  the last word first, and then the others. It is returned at the end. */
function withFewTokens([last = '', ...others]: readonly string[]): readonly string[] {
  let left = MAX_TOKENS
  const kept: string[] = []
  for (const word of [last, ...others]) {
    if (left === 0) break
    const tokens = tokensOf(word)
    const end = tokens[left - 1]
    kept.push(end === undefined ? word : word.slice(0, end.index + end[0].length))
    left -= Math.min(left, tokens.length)
  }
  return [...kept.slice(1), ...kept.slice(0, 1)]
}

/** The parts of a word that the index contains. It takes letters, digits and, in PostgreSQL, marks. */
function tokensOf(word: string): readonly RegExpExecArray[] {
  return [...word.matchAll(/[\p{L}\p{N}\p{Co}]+/gu)]
}
