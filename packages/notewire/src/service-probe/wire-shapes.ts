import type { WireAnswer } from './wire.ts'

/** A JSON object of which nothing is known. */
export type Fields = Readonly<Record<string, unknown>>

/** The fields of a value; none, where it is no object. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

/** The fields of an answer's body. */
export function bodyOf(answer: WireAnswer | undefined): Fields {
  return fieldsOf(answer?.json)
}

/** An answer that brings what was asked for. */
export interface DoneAnswer extends WireAnswer {
  readonly status: 200 | 201 | 202 | 203 | 204 | 205 | 206
}

/** Whether an answer brings what was asked for. */
export function isDone(answer: WireAnswer | undefined): answer is DoneAnswer {
  return answer !== undefined && answer.status >= 200 && answer.status < 300
}

/** A text that a report may show: one word, as names and statuses are. Anything else may quote a note. */
export function shownWord(value: unknown): string {
  return typeof value === 'string' && /^[A-Za-z][\w.-]{0,39}$/.test(value) ? `"${value}"` : 'one that is no plain word'
}

/** What an answer says of an error by code, where it is a word. */
export function errorCodeOf(answer: WireAnswer | undefined): string | undefined {
  const { code } = fieldsOf(bodyOf(answer)['error'])
  return typeof code === 'string' && /^[A-Za-z][\w.-]{0,39}$/.test(code) ? code : undefined
}

/** A status, with the code of the error where there is one: `404 not_found`. */
export function statusInWords(answer: WireAnswer): string {
  const code = errorCodeOf(answer)
  return code === undefined ? `${answer.status}` : `${answer.status} ${code}`
}

/** The identifier of a resource under the first of these names that has one. */
export function identifierIn(fields: Fields, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}
