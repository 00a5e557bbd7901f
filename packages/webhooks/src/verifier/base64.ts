/** The bytes of a base64 text that is known to be well-formed. */
export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  // Several times as fast as decoding by `atob`, where there is one.
  if (typeof Buffer !== 'undefined') return Buffer.from(text, 'base64')
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}
