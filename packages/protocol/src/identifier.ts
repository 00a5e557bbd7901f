/**
 * The longest identifier that an event may carry, in UTF-16 code units: `event_id`, `note_id` and `recording_session_id`.
 *
 * An entry of a PostgreSQL B-tree index holds about 2,700 bytes, and a UTF-16 code unit takes up to three bytes of UTF-8.
 * 512 units for an identifier and the 128 bytes of an integration's id fit together.
 */
export const MAX_IDENTIFIER_LENGTH = 512

/**
 * Tells whether every store can hold a value as an identifier: a string of 1 to {@link MAX_IDENTIFIER_LENGTH} UTF-16 code
 * units that is well-formed Unicode and has no NUL. PostgreSQL refuses NUL and longer strings; without well-formed Unicode,
 * two identifiers can become the same bytes.
 */
export function isIdentifier(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.length <= MAX_IDENTIFIER_LENGTH &&
    !value.includes('\0') &&
    value.isWellFormed()
  )
}

/** Not `.` and `..`: every URL parser removes them from a path, also when they are percent-encoded. */
const INTEGRATION_ID = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,128}$/

/**
 * Tells whether a value is the id of an integration: 1 to 128 of the characters `A-Z a-z 0-9 . _ ~ -`, which a URL holds without
 * percent-encoding, and not `.` or `..`.
 */
export function isIntegrationId(value: unknown): value is string {
  return typeof value === 'string' && INTEGRATION_ID.test(value)
}

const LIVE = '_live_'

/** The contract does not limit the characters of a key, so any visible one is accepted. */
const VISIBLE = /^[\x21-\x7e]+$/

/**
 * Returns the `key_id` of an API key (contract §2): the text between the first `_live_` and the next dot. It may be shown. The text after
 * the dot is secret.
 *
 * @returns `undefined` when the key is not of the contract's form
 * @example
 * ```ts
 * import { keyIdOf } from '@notewire/protocol'
 *
 * keyIdOf('ntw_live_k7.s3cret') // 'k7'
 * ```
 */
export function keyIdOf(apiKey: string): string | undefined {
  if (typeof apiKey !== 'string' || !VISIBLE.test(apiKey)) return undefined
  // `<prefix>_live_{key_id}.{secret}`: the prefix is not empty. One regular expression for all of it would take quadratic time.
  for (let live = apiKey.indexOf(LIVE, 1); live !== -1; live = apiKey.indexOf(LIVE, live + 1)) {
    const begin = live + LIVE.length
    const dot = apiKey.indexOf('.', begin)
    if (dot === -1 || dot === apiKey.length - 1) return undefined
    if (dot > begin) return apiKey.slice(begin, dot)
  }
  return undefined
}
