/** The bytes of a base64 text that is known to be well-formed. */
export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

/** The base64 text of bytes. */
export function base64Of(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}
