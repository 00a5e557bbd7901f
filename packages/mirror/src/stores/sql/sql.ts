import tag, { raw, type Sql } from 'sql-template-tag'
import { escapedText } from '../escaped-text.ts'

/** The value of a parameter. */
export type SqlValue = string | number | null

/**
 * Makes SQL. A value in it becomes a parameter, whose text is escaped as by `escapedText`, and SQL in it becomes a part of the text.
 *
 * @example sql`SELECT record FROM notewire_integrations WHERE integration = ${integration}`
 */
export function sql(texts: TemplateStringsArray, ...parts: readonly (Sql | SqlValue)[]): Sql {
  return tag(texts, ...parts.map((part) => (typeof part === 'string' ? escapedText(part) : part)))
}

/** The column of a result: JSON as text, because drivers parse other types differently, and users configure that. */
export function resultOf(json: Sql): Sql {
  return sql`CAST(${json} AS text) AS result`
}

/** A number that is the same in each statement, and is therefore no parameter. */
export function constant(number: number): Sql {
  return raw(String(number))
}
