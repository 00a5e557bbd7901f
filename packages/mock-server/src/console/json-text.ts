const STRING = /"(?:[^"\\]|\\.)*"?/
/** JSON without its strings and words, of which the last may be cut off. */
const REST = /^\s*[[{][\s[\]{},:\d.eE+-]*(?:tr?u?|fa?l?s?|nu?l?)?$/
const DEEPEST = 32
const TOKEN = new RegExp(`${STRING.source}|\\{\\s*\\}|\\[\\s*\\]|[{}[\\],:]|\\s+`, 'g')

/**
 * Breaks JSON into indented lines, also if its end is missing. Only the white space between tokens changes: numbers, escapes and the
 * order of the fields stay as they were sent. The indentation grows up to 32 levels. Other text is returned as it is.
 */
export function indented(text: string): string {
  const outsideStrings = text.replaceAll(new RegExp(STRING, 'g'), '').replaceAll(/true|false|null/g, '')
  if (!REST.test(outsideStrings)) return text
  let depth = 0
  const newLine = () => `\n${'  '.repeat(Math.max(0, Math.min(depth, DEEPEST)))}`
  return text.replace(TOKEN, (token) => {
    if (token === ':') return ': '
    if (token === ',') return `,${newLine()}`
    if (token === '{' || token === '[') {
      depth += 1
      return token + newLine()
    }
    if (token === '}' || token === ']') {
      depth -= 1
      return newLine() + token
    }
    return /^[{[]/.test(token) ? token.replaceAll(/\s/g, '') : token.replace(/^\s+$/, '')
  })
}
