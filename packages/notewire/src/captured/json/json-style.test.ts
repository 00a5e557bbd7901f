import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JSON_STYLES, jsonStyleOf, writeJson } from './json-style.ts'
import { jsonTreeOf } from './json-tree.ts'

const written = (value: unknown, spacing: string, escapes = 'none') => {
  const style = JSON_STYLES.find((each) => each.spacing === spacing && each.escapes === escapes)
  const tree = jsonTreeOf(JSON.stringify(value))
  if (style === undefined || tree === undefined) throw new Error('no such style, or no JSON')
  return writeJson(tree, style)
}

describe('JSON', () => {
  it('is written as JavaScript writes it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(written(value, 'compact')).toBe(JSON.stringify(value))
        expect(written(value, 'two-spaces')).toBe(JSON.stringify(value, null, 2))
        expect(written(value, 'tabs')).toBe(JSON.stringify(value, null, '\t'))
      }),
    )
  })

  it('is written as Python writes it', () => {
    const value = { b: ['é😀\u007f"\\/', 1, true, null, [], {}], a: { c: '\u2028<&>\n\t\u0001' } }
    const dumps = (options: string) => {
      const program = `import json,sys; sys.stdout.buffer.write(json.dumps(json.load(sys.stdin)${options}).encode())`
      return execFileSync('python3', ['-c', program], { input: JSON.stringify(value), encoding: 'utf8' })
    }
    expect(written(value, 'spaced', 'ascii')).toBe(dumps(''))
    expect(written(value, 'spaced')).toBe(dumps(', ensure_ascii=False'))
    expect(written(value, 'four-spaces', 'ascii')).toBe(dumps(', indent=4'))
    expect(written(value, 'compact', 'ascii')).toBe(dumps(", separators=(',', ':')"))
  })

  it('means the same in every style, which is known again', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...JSON_STYLES), (value, style) => {
        const tree = jsonTreeOf(JSON.stringify(value))
        if (tree === undefined) throw new Error('it is JSON')
        const text = writeJson(tree, style)
        expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(value))
        const found = jsonStyleOf(text, tree)
        expect(found && writeJson(tree, found)).toBe(text)
      }),
    )
  })

  it('keeps what parsers lose: order, doubled keys and the writing of numbers', () => {
    const text = '{"2":1.0,"1":1e5,"1":12345678901234567890,"__proto__":{}}'
    const tree = jsonTreeOf(text)
    expect(tree && jsonStyleOf(text, tree)).toEqual({ spacing: 'compact', escapes: 'none' })
  })

  it.each(['', '{', '{"a":1,}', 'undefined', '['.repeat(100_000), `${'['.repeat(500)}${']'.repeat(500)}`])(
    'is not found in what is none, or too deep',
    (text) => {
      expect(jsonTreeOf(text)).toBeUndefined()
    },
  )
})
