/**
 * A statement with its values in place of `$1`, `$2` …, since PostgreSQL takes parameters only for a single statement.
 *
 * A text with other characters than these becomes hexadecimal digits, so that nothing in it can end the literal, whatever the settings of
 * the connection are.
 */
export function withValues(text: string, values: readonly unknown[]): string {
  const [first = '', ...parts] = partsOf(text)
  let statement = first
  // The placeholders stand in order, each once.
  for (const [index, part] of parts.entries()) statement += literal(values[index]) + part
  return statement
}

const knownParts = new Map<string, readonly string[]>()

// A store has a fixed number of statements.
function partsOf(text: string): readonly string[] {
  const parts = knownParts.get(text) ?? text.split(/\$\d+/)
  knownParts.set(text, parts)
  return parts
}

const HARMLESS = /^[\w .~:{}",-]*$/

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value === 'number' && Number.isFinite(value)) return `'${value}'`
  const text = String(value)
  return HARMLESS.test(text) ? `'${text}'` : `convert_from(decode('${hexadecimal(text)}', 'hex'), 'UTF8')`
}

function hexadecimal(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The text of an array of PostgreSQL, because not every driver takes a JavaScript array. */
export function arrayOf(elements: readonly (string | undefined)[]): string {
  return `{${elements.map(elementOf)}}`
}

function elementOf(element: string | undefined): string {
  return element === undefined ? 'NULL' : `"${element.replaceAll(/["\\]/g, '\\$&')}"`
}
