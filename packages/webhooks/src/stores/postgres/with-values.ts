/**
 * A statement with its values in place of `$1`, `$2` …, since PostgreSQL takes parameters only for a single statement.
 *
 * A text with a harmful character becomes hexadecimal digits, so that nothing in it can end the literal, whatever the settings of
 * the connection are.
 */
export function withValues(text: string, values: readonly unknown[]): string {
  // The placeholders stand in order, each once.
  return partsOf(text).reduce((statement, part, index) => statement + literal(values[index - 1]) + part)
}

const knownParts = new Map<string, readonly string[]>()

// A store has a fixed number of statements.
function partsOf(text: string): readonly string[] {
  let parts = knownParts.get(text)
  if (parts === undefined) {
    parts = text.split(/\$\d+/)
    knownParts.set(text, parts)
  }
  return parts
}

/** All but the printable characters of ASCII without the apostrophe and the backslash. */
const HARMFUL = /[^ -&(-[\]-~]/

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value === 'number' && Number.isFinite(value)) return `'${value}'`
  const text = String(value)
  return HARMFUL.test(text) ? `convert_from(decode('${hexadecimal(text)}', 'hex'), 'UTF8')` : `'${text}'`
}

function hexadecimal(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
