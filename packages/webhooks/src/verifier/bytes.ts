/** Tells bytes from anything else, those of another realm included: test runners have realms of their own. */
export function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array || Object.prototype.toString.call(value) === '[object Uint8Array]'
}
