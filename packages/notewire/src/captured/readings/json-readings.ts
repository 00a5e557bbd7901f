import { JSON_STYLES, type JsonStyle, jsonStyleInWords, jsonStyleOf, writeJson } from '../json/json-style.ts'
import { type JsonTree, jsonTreeOf } from '../json/json-tree.ts'
import { inContractOrder, keyOrderInWords, orderingsOf } from '../json/key-order.ts'
import type { Difference, Reading } from './difference.ts'

const RAW_BODY_FIX =
  'Verify the body as it came, before any JSON parser, and never a body that was parsed and written again.'

/** The bodies of which this one may be what a parser and a serialiser made: the same JSON in other styles and key orders. */
export function jsonReadings(body: Uint8Array): readonly Reading<Uint8Array>[] {
  const parsed = parse(body)
  if (parsed === undefined) return []
  const { text, tree } = parsed
  const arrived = jsonStyleOf(text, tree)
  const ordered = inContractOrder(tree)
  return JSON_STYLES.flatMap((style) => [
    rewritten(writeJson(tree, style), [reserialised(style, arrived)]),
    rewritten(writeJson(ordered, style), [
      reordered(tree),
      ...(writeJson(tree, style) === text ? [] : [reserialised(style, arrived)]),
    ]),
  ]).filter(({ value }) => Buffer.compare(value, body) !== 0)
}

/** The styles in which a service that sorts nothing is likely to write. */
const LIKELY_STYLES: readonly JsonStyle[] = [
  { spacing: 'compact', escapes: 'none' },
  { spacing: 'spaced', escapes: 'ascii' },
]

/** Larger bodies are not tried in every order of their keys. */
const LARGEST_REORDERED_BYTES = 2048

/**
 * The same JSON with its keys in every order, as far as that can be tried: for bodies that nothing else explains, since whoever
 * sorted the keys has lost their order.
 */
export function* reorderedReadings(body: Uint8Array): Generator<Reading<Uint8Array>> {
  const parsed = body.length > LARGEST_REORDERED_BYTES ? undefined : parse(body)
  if (parsed === undefined) return
  const { text, tree } = parsed
  const arrived = jsonStyleOf(text, tree)
  const styles = LIKELY_STYLES.map((style) => ({
    style,
    differences: [reordered(tree), ...(writeJson(tree, style) === text ? [] : [reserialised(style, arrived)])],
  }))
  for (const ordering of orderingsOf(tree)) {
    for (const { style, differences } of styles) yield rewritten(writeJson(ordering, style), differences)
  }
}

function parse(body: Uint8Array): { readonly text: string; readonly tree: JsonTree } | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
    const tree = jsonTreeOf(text)
    return tree === undefined ? undefined : { text, tree }
  } catch {
    return undefined
  }
}

function rewritten(text: string, differences: readonly Difference[]): Reading<Uint8Array> {
  return { value: new TextEncoder().encode(text), differences }
}

function reserialised(signed: JsonStyle, arrived: JsonStyle | undefined): Difference {
  const came = arrived === undefined ? 'otherwise' : jsonStyleInWords(arrived)
  return {
    code: 'body_reserialised',
    subject: 'body',
    what: `the body was parsed and written again: what was signed is the same JSON ${jsonStyleInWords(signed)}; what arrived is written ${came}`,
    fix: RAW_BODY_FIX,
  }
}

function reordered(tree: JsonTree): Difference {
  return {
    code: 'body_keys_reordered',
    subject: 'body',
    what: `the keys of the body were put into another order (${keyOrderInWords(tree)})`,
    fix: RAW_BODY_FIX,
  }
}
