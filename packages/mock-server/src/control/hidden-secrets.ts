/** More levels of encoding than a client uses by mistake. */
const LEVELS = 3

/**
 * Replaces signing secrets, and API keys in every form (open point 24), by `…`, wherever a client or an answer put them. If characters of a
 * secret are escaped as in JSON or in a URL, the escapes of the whole text are decoded.
 */
export function withoutSecrets(text: string, keyPrefix: string): string {
  const prefix = keyPrefix.replace(/\W/g, '\\$&')
  const secrets = new RegExp(`(whsec_|_live_|${prefix}-)[\\w.+/=~-]+`, 'gi')
  const asSent = text.replace(secrets, '$1…')
  const plain = decoded(text).replace(secrets, '$1…')
  return decoded(asSent) === plain ? asSent : plain
}

// Matches every backslash, also one that begins no escape, so that each character of a text is read once.
const ESCAPE = /\\+(?:u00([0-7][\da-f])|(\/))?|%([0-7][\da-f])/gi

/** Decodes the escapes of ASCII characters in JSON and in URLs. */
function decoded(text: string): string {
  let plain = text
  for (let level = 0; level < LEVELS; level++) {
    plain = plain.replace(ESCAPE, (found, ofJson?: string, slash?: string, ofUrl?: string) => {
      const code = ofJson ?? ofUrl
      return code === undefined ? (slash ?? found) : String.fromCharCode(Number.parseInt(code, 16))
    })
  }
  return plain
}
