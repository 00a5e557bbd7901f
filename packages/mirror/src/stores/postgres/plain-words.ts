/** In bytes: PostgreSQL indexes no longer word. */
const LONGEST_WORD = 2_046

/** Words to be looked for, as one text without what is no text in PostgreSQL; `undefined` when no note can have them all. */
export function plainWords(words: readonly string[]): string | undefined {
  if (words.some((word) => new TextEncoder().encode(word).length > LONGEST_WORD)) return undefined
  return words.join(' ').replaceAll(/[\0\p{Surrogate}]/gu, ' ')
}
