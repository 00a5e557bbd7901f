import { postgresCodeOf } from '@notewire/storage'

/** The classes of SQLSTATE that are about the data: data exceptions, violated constraints, exceeded limits of the program. */
const SQLSTATE_OF_DATA = /^(?:22|23|54)[0-9A-Z]{3}$/

// Only the message is the same with all drivers of SQLite.
const MESSAGES_OF_SQLITE = ['malformed JSON', 'string or blob too big', 'NOT NULL constraint failed']

/**
 * Why the data of a commit can never be written, in words without any of the data; `undefined` for every other error, such as a full disk or a lost
 * connection. A `RangeError` is thrown for values that are nested too deep, and for text that is too long.
 */
export function dataRefusalIn(error: unknown): string | undefined {
  if (error instanceof RangeError) return 'RangeError: it is nested too deep or too long'
  const code = postgresCodeOf(error)
  if (typeof code === 'string' && SQLSTATE_OF_DATA.test(code)) return `SQLSTATE ${code}`
  const message = error instanceof Error ? error.message : ''
  const found = MESSAGES_OF_SQLITE.find((part) => message.includes(part))
  return found && `SQLite: ${found}`
}
