/** Whether a value is a `Uint8Array`, also one of another realm: test runners run code in realms of their own. */
export function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === '[object Uint8Array]'
}
