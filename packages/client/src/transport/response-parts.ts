import { shortWord } from '@notewire/protocol'

/** The service's id for the request, if it sent one (open point 22). */
export function requestIdOf(headers: Headers): string | undefined {
  return shortWord(headers.get('x-request-id'))
}

/**
 * How long the service asks to wait (`Retry-After`, in seconds or as a date), in milliseconds, a multiple of 1000.
 *
 * A date is compared with the header `Date` of the same answer if it has one, because both are of the service's clock.
 */
export function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  if (/^\d{1,10}$/.test(value)) return Number(value) * 1000
  // Date.parse would read "-1" as a year.
  if (!value.endsWith(' GMT')) return undefined
  const now = Date.parse(headers.get('date') ?? '') || Date.now()
  const seconds = Math.ceil((Date.parse(value) - now) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds * 1000)
}

// Larger than any page or transcript. Without a limit, a faulty service could exhaust the memory.
const LONGEST_BODY_BYTES = 64 * 1024 * 1024

/** Reads the body of a response to its end. Returns `undefined` if it is longer than 64 MiB. */
export async function readText({ body }: Response): Promise<string | undefined> {
  if (body === null) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.length
    if (bytes > LONGEST_BODY_BYTES) {
      // The connection may already be broken. The rest of the body is not needed either way.
      reader.cancel().catch(() => undefined)
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}
