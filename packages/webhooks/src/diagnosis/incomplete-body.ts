import { type AttemptHeaders, readFirst } from '../verifier/signature-headers.ts'
import { mayBeNotification } from './diagnosis.ts'
import type { RefusalCause } from './refusal-cause.ts'

/** The cause of a body that is empty, shorter than `content-length`, or not complete JSON. */
export function incompleteBody(body: Uint8Array, headers: AttemptHeaders): RefusalCause | undefined {
  const what = howIncomplete(body, Number(readFirst(headers, 'content-length')))
  if (what === undefined) return undefined
  const nextStep = 'Pass the whole body. Another program may have read it before, or cut it off.'
  return { code: 'body_incomplete', what, nextStep }
}

function howIncomplete(body: Uint8Array, declared: number): string | undefined {
  if (body.length === 0) return 'the body is empty'
  if (declared > body.length) return `the body has ${body.length} bytes, but content-length says ${declared}`
  if (!mayBeNotification(body)) return undefined
  try {
    JSON.parse(new TextDecoder().decode(body))
    return undefined
  } catch {
    return 'the body is not complete JSON, as every notification is'
  }
}
