import { isBytes } from '@notewire/protocol'
import { BodyNotRawError } from '../verifier/verifier.ts'

/**
 * Refuses a body that is neither text nor bytes, and says what it is.
 *
 * @throws BodyNotRawError
 */
export function refuseNotRaw(body: unknown): asserts body is Uint8Array | string {
  if (typeof body !== 'string' && !isBytes(body)) throw new BodyNotRawError(whatIs(body))
}

function whatIs(body: unknown): string {
  if (body === undefined || body === null) return 'missing'
  if (typeof (body as Partial<PromiseLike<unknown>>).then === 'function') return 'a promise, which must be awaited'
  if (ArrayBuffer.isView(body)) return `a ${body.constructor.name}, not its bytes`
  const [, name = ''] =
    /^\[object (ArrayBuffer|Request|ReadableStream|Blob)\]$/.exec(Object.prototype.toString.call(body)) ?? []
  if (name === 'ArrayBuffer') return 'an ArrayBuffer, not its bytes'
  if (name !== '') return `a ${name}, which must be read first`
  return typeof body === 'object' ? 'a parsed object, whose bytes are lost' : 'neither a string nor bytes'
}
