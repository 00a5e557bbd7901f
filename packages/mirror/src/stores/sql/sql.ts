import { escapedText } from '../escaped-text.ts'

/** The value of a parameter. */
export type SqlValue = string | number | boolean | null

/** A piece of SQL with its values, which `sql` makes. */
export interface Sql {
  /** The text before each value. */
  readonly before: readonly string[]
  readonly values: readonly SqlValue[]
  /** The text after the last value. */
  readonly after: string
}

/**
 * Makes SQL. A value in it becomes a parameter, whose text is escaped as by `escapedText`, and a piece of SQL becomes a part of the text.
 *
 * @example sql`SELECT record FROM notewire_integrations WHERE integration = ${integration}`
 */
export function sql(texts: TemplateStringsArray, ...parts: readonly (Sql | SqlValue)[]): Sql {
  return joined([raw(texts[0] ?? ''), ...parts.flatMap((part, index) => [pieceOf(part), raw(texts[index + 1] ?? '')])])
}

/** SQL without values, such as a name or a constant. */
export function raw(text: string): Sql {
  return { before: [], values: [], after: text }
}

/** No SQL. */
export const NOTHING: Sql = raw('')

/** Joins pieces of SQL. */
export function joined(pieces: readonly Sql[], separator = ''): Sql {
  const before: string[] = []
  const values: SqlValue[] = []
  let text = ''
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) text += separator
    for (const [place, value] of piece.values.entries()) {
      before.push(text + piece.before[place])
      values.push(value)
      text = ''
    }
    text += piece.after
  }
  return { before, values, after: text }
}

/** The column of a result: JSON as text, because drivers parse other types differently, and users configure that. */
export function resultOf(json: Sql): Sql {
  return sql`CAST(${json} AS text) AS result`
}

/** A number that is the same in each statement, and is therefore no parameter. */
export function constant(number: number): Sql {
  return raw(String(number))
}

/**
 * The text of a statement.
 *
 * @param placeholder  the parameter with this number, from 1
 */
export function textOf({ before, after }: Sql, placeholder: (number: number) => string): string {
  return before.map((text, index) => text + placeholder(index + 1)).join('') + after
}

function pieceOf(part: Sql | SqlValue): Sql {
  if (typeof part === 'object' && part !== null) return part
  return { before: [''], values: [typeof part === 'string' ? escapedText(part) : part], after: '' }
}
