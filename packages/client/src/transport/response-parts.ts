import { shortWord } from '@notewire/protocol'

/** The service's id for the request, if it sent one (open point 22). */
export function requestIdOf(headers: Headers): string | undefined {
  return shortWord(headers.get('x-request-id'))
}

/** What `Body.json` returns if the text is no JSON. */
export const NOT_JSON = Symbol('not JSON')
const UNPARSED = Symbol('unparsed')

/** A body that was read to its end. Its JSON is parsed once, because a body may be long. */
export class Body {
  readonly text: string
  #json: unknown = UNPARSED

  constructor(text: string) {
    this.text = text
  }

  get json(): unknown {
    if (this.#json === UNPARSED) this.#json = parseJson(this.text)
    return this.#json
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return NOT_JSON
  }
}

/**
 * Whether a compressed body ends early. The `fetch` of Node.js and of browsers returns the part of it that can be decompressed, without an
 * error, if a proxy ends the message as if it were complete.
 */
export function endsEarly(method: string, headers: Headers, body: Body | undefined): boolean {
  const encoding = headers.get('content-encoding')?.toLowerCase() ?? 'identity'
  if (body === undefined || encoding === 'identity') return false
  // Other text may be the page of a proxy. A part of an object or of a list is never valid JSON.
  const start = body.text.trimStart()[0]
  // A response to another method may have no content.
  if (start === undefined) return method === 'GET'
  return (start === '{' || start === '[') && body.json === NOT_JSON
}

// Larger than any page or transcript. Without a limit, a faulty service could exhaust the memory.
const LONGEST_BODY_BYTES = 64 * 1024 * 1024

/** Reads the body of a response to its end. Returns `undefined` if it is longer than 64 MiB. */
export async function readBodyOf({ body }: Response): Promise<Body | undefined> {
  if (body === null) return new Body('')
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return new Body(text + decoder.decode())
    bytes += value.length
    if (bytes > LONGEST_BODY_BYTES) {
      // The connection may already be broken. The rest of the body is not needed either way.
      reader.cancel().catch(() => undefined)
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}
