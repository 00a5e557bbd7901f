import { keyIdOf } from '@notewire/protocol'

const TOKEN_FORM = /^[\w.:-]{1,64}$/

/** Returns a code or an id that the service sent if it is one short word; longer text could quote a note or the API key. */
export function serverToken(value: unknown): string | undefined {
  if (typeof value !== 'string' || !TOKEN_FORM.test(value)) return undefined
  return keyIdOf(value) === undefined ? value : undefined
}
