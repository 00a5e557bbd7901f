/** A longer sentence is cut. */
const LONGEST = 200

/** What looks like a key or a secret (contract §2 and §6). */
const SECRETS = /\b(?:ntw_|whsec_|whsk_)[^\s"'`,;)]+|\bBearer\s+[^\s"'`,;)]+/gi

/**
 * Makes the service's own explanation of an error fit to be shown: one line of at most 200 characters, without keys and secrets.
 *
 * @param apiKey  the key of the client, which may have any form
 * @returns `undefined` if it is no text, or empty
 */
export function serverSentence(value: unknown, apiKey: string): string | undefined {
  if (typeof value !== 'string') return undefined
  const oneLine = value.replace(/[\p{C}\p{Z}]+/gu, ' ').trim()
  const harmless = partsOf(apiKey)
    .reduce((text, part) => text.replaceAll(part, '[removed]'), oneLine)
    .replace(SECRETS, '[removed]')
  const characters = [...harmless]
  if (characters.length === 0) return undefined
  return characters.length <= LONGEST ? harmless : `${characters.slice(0, LONGEST).join('')}…`
}

/** The key, and its secret part alone. */
function partsOf(apiKey: string): readonly string[] {
  const secret = apiKey.slice(apiKey.lastIndexOf('.') + 1)
  return [apiKey, secret].filter(({ length }) => length >= 4)
}
