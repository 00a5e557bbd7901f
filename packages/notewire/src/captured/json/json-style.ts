import type { JsonTree } from './json-tree.ts'

/** How a program sets JSON: what stands between its parts. */
type JsonSpacing = 'compact' | 'spaced' | 'two-spaces' | 'four-spaces' | 'tabs' | 'spaced-colons'

/** Which characters a program escapes in JSON that need not be. */
type JsonEscapes = 'none' | 'ascii' | 'slashes' | 'slashes-and-ascii' | 'html' | 'dotnet'

/** How a program writes JSON. */
export interface JsonStyle {
  readonly spacing: JsonSpacing
  readonly escapes: JsonEscapes
}

const SPACINGS: Readonly<
  Record<JsonSpacing, { readonly comma: string; readonly colon: string; readonly indent: string }>
> = {
  compact: { comma: ',', colon: ':', indent: '' },
  spaced: { comma: ', ', colon: ': ', indent: '' },
  'two-spaces': { comma: ',', colon: ': ', indent: '  ' },
  'four-spaces': { comma: ',', colon: ': ', indent: '    ' },
  tabs: { comma: ',', colon: ': ', indent: '\t' },
  'spaced-colons': { comma: ',', colon: ' : ', indent: '  ' },
}

const ESCAPES: Readonly<Record<JsonEscapes, (text: string) => string>> = {
  none: (text) => text,
  ascii: (text) => escapeAll(text, /[^ -~]/g),
  slashes: (text) => text.replaceAll('/', '\\/'),
  'slashes-and-ascii': (text) => escapeAll(text.replaceAll('/', '\\/'), /[^ -\x7f]/g),
  html: (text) => escapeAll(text, /[<>&\u2028\u2029]/g),
  dotnet: (text) => escapeAll(withEscapedQuotes(text), /[^ -~]|[<>&'+`]/g).replace(HEX, upperCased),
}

/** The styles of the programs that are likely to have written a body, the likelier ones first. */
export const JSON_STYLES: readonly JsonStyle[] = (Object.keys(SPACINGS) as JsonSpacing[]).flatMap((spacing) =>
  // What is spaced is most often Python's, which escapes what is not ASCII.
  escapesFor(spacing).map((escapes) => ({ spacing, escapes })),
)

function escapesFor(spacing: JsonSpacing): readonly JsonEscapes[] {
  const all = Object.keys(ESCAPES) as JsonEscapes[]
  return spacing === 'spaced' ? ['ascii', ...all.filter((escapes) => escapes !== 'ascii')] : all
}

/** Writes JSON in a style. */
export function writeJson(tree: JsonTree, style: JsonStyle): string {
  const { comma, colon, indent } = SPACINGS[style.spacing]
  const escapeMore = ESCAPES[style.escapes]
  const quoted = (text: string) => escapeMore(JSON.stringify(text))

  function enclosed([open, close]: readonly [string, string], parts: readonly string[], depth: number): string {
    if (parts.length === 0) return open + close
    if (indent === '') return open + parts.join(comma) + close
    const line = `\n${indent.repeat(depth + 1)}`
    return `${open}${line}${parts.join(comma + line)}\n${indent.repeat(depth)}${close}`
  }

  function written(node: JsonTree, depth: number): string {
    switch (node.kind) {
      case 'literal':
        return node.text
      case 'string':
        return quoted(node.value)
      case 'array':
        return enclosed(
          ['[', ']'],
          node.items.map((item) => written(item, depth + 1)),
          depth,
        )
      case 'object': {
        const members = node.members.map(({ key, value }) => quoted(key) + colon + written(value, depth + 1))
        return enclosed(['{', '}'], members, depth)
      }
    }
  }

  return written(tree, 0)
}

/** The style in which a text is written; `undefined` for one that no known program writes. */
export function jsonStyleOf(text: string, tree: JsonTree): JsonStyle | undefined {
  return JSON_STYLES.find((style) => writeJson(tree, style) === text)
}

const SPACING_WORDS: Readonly<Record<JsonSpacing, string>> = {
  compact: 'without spaces, as JSON.stringify writes it',
  spaced: 'with a space after every comma and colon',
  'two-spaces': 'indented by two spaces, as JSON.stringify(value, null, 2) writes it',
  'four-spaces': 'indented by four spaces, as JSON.stringify(value, null, 4) or json.dumps(indent=4) writes it',
  tabs: 'indented by tabs',
  'spaced-colons': 'indented, with a space on both sides of colons, as Jackson writes it',
}

const ESCAPE_WORDS: Readonly<Record<JsonEscapes, string>> = {
  none: '',
  ascii: 'with what is not ASCII escaped',
  slashes: 'with slashes escaped',
  'slashes-and-ascii': 'with slashes and what is not ASCII escaped, as PHP json_encode does',
  html: 'with <, > and & escaped, as Go and Rails do',
  dotnet: 'with what is not plain ASCII escaped in capitals, as .NET does',
}

/** A style in words. */
export function jsonStyleInWords({ spacing, escapes }: JsonStyle): string {
  if (spacing === 'spaced' && escapes === 'ascii') return `${SPACING_WORDS.spaced}, as Python's json.dumps writes it`
  if (spacing === 'spaced' && escapes === 'none') {
    return `${SPACING_WORDS.spaced}, as json.dumps(ensure_ascii=False) and PostgreSQL's jsonb write it`
  }
  if (spacing === 'compact' && escapes === 'none') return SPACING_WORDS.compact
  const spaced = spacing === 'compact' ? 'without spaces' : SPACING_WORDS[spacing]
  return escapes === 'none' ? spaced : `${spaced}, ${ESCAPE_WORDS[escapes]}`
}

function escapeAll(text: string, characters: RegExp): string {
  return text.replace(characters, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Pair by pair, since the second backslash of an escaped one escapes nothing. */
function withEscapedQuotes(text: string): string {
  return text.replace(/\\./g, (pair) => (pair === '\\"' ? '\\u0022' : pair))
}

const HEX = /(?<!\\)(?:\\\\)*\\u[\da-f]{4}/g

function upperCased(escaped: string): string {
  return escaped.replace(/[\da-f]{4}$/, (digits) => digits.toUpperCase())
}
