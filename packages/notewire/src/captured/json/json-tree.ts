/** JSON text with everything that its meaning does not tell: the order of keys, doubled keys, and how numbers are written. */
export type JsonTree =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'array'; readonly items: readonly JsonTree[] }
  | { readonly kind: 'object'; readonly members: readonly JsonMember[] }

/** A key of an object, with its value. */
export interface JsonMember {
  readonly key: string
  readonly value: JsonTree
}

/** Deeper than any event, and shallow enough for the stack. */
const DEEPEST = 100

const TOKENS = /\s*(?:(?<punctuation>[{}[\],:])|(?<string>"[^"\\]*(?:\\.[^"\\]*)*")|(?<literal>[-+.\w]+))\s*/gy

/** Reads JSON text; `undefined` for what is none, or is nested deeper than any event. */
export function jsonTreeOf(text: string): JsonTree | undefined {
  if (!isJson(text)) return undefined
  const tokens = [...text.matchAll(TOKENS)].map(({ groups = {} }) => groups as Token)
  let at = 0

  const take = (): Token => tokens[at++] ?? {}
  const next = (): string | undefined => tokens[at]?.punctuation

  function readValue(depth: number): JsonTree | undefined {
    if (depth > DEEPEST) return undefined
    const { punctuation, string, literal = '' } = take()
    if (punctuation === '{') return readMembers(depth)
    if (punctuation === '[') return readItems(depth)
    return string === undefined ? { kind: 'literal', text: literal } : { kind: 'string', value: JSON.parse(string) }
  }

  function readItems(depth: number): JsonTree | undefined {
    const items: JsonTree[] = []
    while (next() !== ']') {
      const item = readValue(depth + 1)
      if (item === undefined) return undefined
      items.push(item)
      if (next() === ',') take()
    }
    take()
    return { kind: 'array', items }
  }

  function readMembers(depth: number): JsonTree | undefined {
    const members: JsonMember[] = []
    while (next() !== '}') {
      const key: string = JSON.parse(take().string ?? '""')
      take()
      const value = readValue(depth + 1)
      if (value === undefined) return undefined
      members.push({ key, value })
      if (next() === ',') take()
    }
    take()
    return { kind: 'object', members }
  }

  return readValue(0)
}

interface Token {
  readonly punctuation?: string | undefined
  readonly string?: string | undefined
  readonly literal?: string | undefined
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
