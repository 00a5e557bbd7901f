import { keyIdOf } from '@notewire/protocol'

const TOKEN_FORM = /^[\w.:-]{1,64}$/

/** A name that the service chose, if it is short and one word: free text could quote a note, or the request's key. */
export function serverToken(value: unknown): string | undefined {
  if (typeof value !== 'string' || !TOKEN_FORM.test(value)) return undefined
  return keyIdOf(value) === undefined ? value : undefined
}
