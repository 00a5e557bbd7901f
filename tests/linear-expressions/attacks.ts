/** A text of any length that makes a regular expression with a superlinear running time slow. */
export interface Attack {
  readonly pump: string
  readonly ending: string
}

export function textOf({ pump, ending }: Attack, length: number): string {
  return pump.repeat(Math.ceil(length / pump.length)) + ending
}

/** No expression matches at the end of the text, so that it tries every way to match before it gives up. */
const ENDINGS = ['\0', '\n', '']

/** The longest part of an expression that is repeated. It is longer than `Default: x`. */
const LONGEST_PUMP = 10

/**
 * Makes the attacks on an expression from its own source: every sequence of characters that it matches next to each other, repeated.
 * That finds the usual mistakes: two repetitions that match the same characters, and a repetition that every character can begin.
 */
export function attacksOn({ source }: RegExp): readonly Attack[] {
  const samples = samplesIn(source)
  const pumps = new Set(samples)
  for (let begin = 0; begin < samples.length; begin += 1) {
    for (let length = 2; length <= LONGEST_PUMP; length += 1) pumps.add(samples.slice(begin, begin + length).join(''))
  }
  return attacksWith([...pumps])
}

export function attacksWith(pumps: readonly string[]): readonly Attack[] {
  return pumps.flatMap((pump) => ENDINGS.map((ending) => ({ pump, ending })))
}

/** A character for each escape, class and literal of an expression. Operators are left out. */
function samplesIn(source: string): readonly string[] {
  const samples: string[] = []
  const tokens =
    /\[(?:\\.|[^\]\\])*\]|\{\d*,?\d*\}|\(\?(?:<?[=!]|:|<\w+>)|\\[pP]\{\w+\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\.|./gis
  for (const [token] of source.matchAll(tokens)) samples.push(...sampleOf(token))
  return samples
}

const CANDIDATES = ['a', '1', '_', '-', ' ', '/', '=', '.', ':', '"', '\\', 'é', '\u0301', '\n', '\u0007']

function sampleOf(token: string): readonly string[] {
  if (/^[*+?^$|()]$/.test(token) || /^\(\?|^\{.+\}$|^\\b$/i.test(token)) return []
  const matcher = new RegExp(`^${token}$`, token.includes('\\p') ? 'u' : '')
  if (token === '.') return ['a']
  return [CANDIDATES.find((candidate) => matcher.test(candidate)) ?? token.replace(/^\\/, '').slice(0, 1)]
}
