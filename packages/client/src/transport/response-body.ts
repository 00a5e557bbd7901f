import { ShapeError } from '@notewire/protocol'
import { readShapeWithDrift, type ShapeReading } from '@notewire/protocol/schemas'
import { InvalidResponseError } from '../errors/notes-client-error.ts'
import type { Answer } from './call.ts'
import { nameOf } from './operation.ts'
import { NOT_JSON, requestIdOf } from './response-parts.ts'

/**
 * Reads the body of a successful answer.
 *
 * @param read  converts the body to the result of the call, or throws a `ShapeError`
 * @throws {@link InvalidResponseError} with the path of the first problem. It never quotes the body
 */
export function readBody<Shape>(answer: Answer, read: (body: unknown) => Shape): Shape {
  const { body } = answer
  if (body === undefined) {
    throw invalid(
      answer,
      '',
      'the response body is larger than 64 MiB. If the call takes the option limit, pass a smaller one; otherwise report it to the service with the request id.',
    )
  }
  if (body.json === NOT_JSON) {
    throw invalid(
      answer,
      '',
      'the body is not JSON. Check that the base URL is the address of the notes service, and not of a web page or a proxy.',
    )
  }
  try {
    return read(body.json)
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error
    throw invalidResponse(answer, error)
  }
}

/**
 * Reads the resource in the body of a successful answer.
 *
 * @param report  gets the resource, and where it differs from the contract
 * @throws {@link InvalidResponseError} as {@link readBody}
 */
export function readResource<Resource extends object>(
  answer: Answer,
  schema: Parameters<typeof readShapeWithDrift<Resource>>[0],
  what: string,
  report: (reading: ShapeReading<Resource>) => void,
): Resource {
  return readBody(answer, (body) => {
    const reading = readShapeWithDrift(schema, body, what)
    if (reading.status === 'refused') throw reading.error
    report(reading)
    return reading.value
  })
}

/** The error for a value of the body that does not match the contract. It never quotes the body. */
export function invalidResponse(answer: Answer, { path, message }: ShapeError): InvalidResponseError {
  return invalid(answer, path, `${message} Report it to the service with the request id.`)
}

function invalid(answer: Answer, path: string, problem: string): InvalidResponseError {
  const { status, headers, attempts } = answer
  const operation = nameOf(answer.operation)
  const message = `${operation} answered ${status}, but ${problem}`
  return new InvalidResponseError(message, { operation, path, status, requestId: requestIdOf(headers), attempts })
}
