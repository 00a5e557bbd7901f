import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CaptureError } from '../capture-error.ts'
import { bytesOfText } from '../escaped-text.ts'
import { shellWords } from './shell-words.ts'

const single = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
const double = (text: string) => `"${text.replace(/[\\"$`]/g, '\\$&')}"`

/** As Chrome copies it: what could hurt is written by its number. */
const asChrome = (text: string) =>
  `$'${text
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "\\'")
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replace(/[\p{Cc}!]/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}'`

/** Byte by byte, as Firefox and printf write it. */
const asBytes = (text: string) =>
  `$'${Array.from(Buffer.from(text, 'utf8'), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}'`

const octal = (text: string) =>
  `$'${Array.from(Buffer.from(text, 'utf8'), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')}'`

/** A text without NUL, which no argument can hold. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({
    unit: fc.constantFrom('a', ' ', "'", '"', '\\', '$', '`', '\n', '#', '&', ';', '*', '!', 'é', '😀'),
    maxLength: 12,
  }),
)
const quoted = fc
  .tuple(
    text.map((drawn) => drawn.replaceAll('\0', '')),
    fc.constantFrom(single, double, asChrome, asBytes, octal),
  )
  .map(([drawn, quote]) => quote(drawn))
const word = fc.array(quoted, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(''))

describe('the words of a command', () => {
  it('are those that bash hands to curl, byte for byte', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), fc.constantFrom(' ', ' \\\n  '), (words, gap) => {
        const command = `curl${gap}${words.join(gap)}`
        const seen = shellWords(command).words.slice(1)
        expect(seen.map((each) => Buffer.from(bytesOfText(each)).toString('hex'))).toEqual(wordsInBash(command))
      }),
      { numRuns: 60 },
    )
  })

  it.each([
    ['curl a#b #c d', ['curl', 'a#b']],
    ["curl 'a' | jq .", ['curl', 'a']],
    ['curl "a\\`b" ; rm x', ['curl', 'a`b']],
    ['curl http://localhost/?a=1', ['curl', 'http://localhost/?a=1']],
    ['curl a \\\r\n b', ['curl', 'a', 'b']],
  ])('of %s are %j', (command, words) => {
    expect(shellWords(command).words).toEqual(words)
  })

  it('take the values of variables as empty, and name them', () => {
    expect(shellWords('curl -H "authorization: Bearer $API_KEY" $HOST/x \'$no\'')).toEqual({
      words: ['curl', '-H', 'authorization: Bearer ', '/x', '$no'],
      variables: ['API_KEY', 'HOST'],
    })
  })

  it.each(["curl 'a", 'curl "a', "curl $'a\\'", 'curl ${'])('of %s cannot be read', (command) => {
    expect(() => shellWords(command)).toThrow(CaptureError)
  })
})

function wordsInBash(command: string): readonly string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`
  const output = execFileSync('bash', ['--norc', '-c', script], {
    env: { LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return output
    .toString('latin1')
    .split('\0')
    .slice(0, -1)
    .map((each) => Buffer.from(each, 'latin1').toString('hex'))
}
