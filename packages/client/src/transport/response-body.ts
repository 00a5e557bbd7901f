import { ShapeError } from '@notewire/protocol'
import { InvalidResponseError } from '../errors/notes-client-error.ts'
import { type Answer, requestIdOf } from './attempt.ts'
import { nameOf } from './operation.ts'

/**
 * Reads the body of a successful answer.
 *
 * @param read  converts the body to the result of the call, or throws a `ShapeError`
 * @throws {@link InvalidResponseError} with the path of the first problem. It never quotes the body
 */
export function readBody<Shape>(answer: Answer, read: (body: unknown) => Shape): Shape {
  const { status, headers, text, attempts } = answer
  const invalid = (path: string, problem: string) => {
    const operation = nameOf(answer.operation)
    const message = `${operation} answered ${status}, but ${problem}`
    return new InvalidResponseError(message, { operation, path, status, requestId: requestIdOf(headers), attempts })
  }
  if (text === undefined) {
    throw invalid(
      '',
      'the response body is larger than 64 MiB. If the call takes the option limit, pass a smaller one; otherwise report it to the service with the request id.',
    )
  }
  const body = parseJson(text)
  if (body === NOT_JSON) {
    throw invalid(
      '',
      'the body is not JSON. Check that the base URL is the address of the notes service, and not of a web page or a proxy.',
    )
  }
  try {
    return read(body)
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error
    throw invalid(error.path, `${error.message} Report it to the service with the request id.`)
  }
}

const NOT_JSON = Symbol('not JSON')

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return NOT_JSON
  }
}
