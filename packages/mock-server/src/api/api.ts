import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { Hono } from 'hono/tiny'
import { MockServerError } from '../errors/mock-server-error.ts'
import type { SeededRandom } from '../seed/seeded-random.ts'
import { type ApiEnv, identify } from './authorisation.ts'
import { mountEndpointOperations } from './endpoint-operations.ts'
import { mountNoteOperations } from './note-operations.ts'
import { Problem } from './problem.ts'
import { applyRequestFaults } from './request-faults.ts'
import type { ServiceParts } from './service-parts.ts'

const MAX_BODY_BYTES = 64 * 1024

/** One request to the API. The times come from the service's clock. */
export interface ReceivedRequest {
  /** The `x-request-id` of the answer. */
  readonly request_id: string
  /** When it arrived, in milliseconds since the Unix epoch. */
  readonly at: number
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** The identifier of its API key; `undefined` without a valid key. */
  readonly key_id: string | undefined
  /** The body as text; `''` without a body. */
  readonly body: string
  /** The status of the answer; `undefined` before the answer, or if the connection was dropped. */
  readonly status: number | undefined
  /** The time from its arrival to the answer, in milliseconds. */
  readonly duration_ms: number
}

interface Api {
  /** Rejects with `ConnectionDropped` if a fault rule breaks the connection. */
  readonly answer: (request: Request) => Promise<Response>
  /** In order of arrival. */
  readonly requests: readonly ReceivedRequest[]
}

export function createApi(parts: ServiceParts, random: SeededRandom): Api {
  const { timeline, owners, contract } = parts
  const requests: ReceivedRequest[] = []
  const api = new Hono<ApiEnv>()

  api.use(async (context, next) => {
    const { world, key_id } = identify(context, owners)
    const request_id = world.makeIdentifier('request')
    if (contract.requestId) context.header('x-request-id', request_id)
    const at = timeline.now()
    context.header('date', new Date(at).toUTCString())
    const { method, path } = context.req
    const query = context.req.query()
    const arrived = { request_id, at, method, path, query, key_id: undefined, body: '', status: undefined }
    const index = requests.push({ ...arrived, duration_ms: 0 }) - 1
    const answered = (status: number | undefined) => {
      const body = context.get('body') ?? ''
      requests[index] = { ...arrived, key_id, body, status, duration_ms: timeline.now() - at }
    }
    try {
      await next()
      answered(context.res.status)
    } catch (error) {
      answered(undefined)
      throw error
    }
  })
  api.use(
    bodyLimit({
      maxSize: MAX_BODY_BYTES,
      onError: () => {
        const message = `The request body is larger than ${MAX_BODY_BYTES} bytes.`
        throw new Problem(413, { code: 'body_too_large', message })
      },
    }),
  )
  api.use(async (context, next) => {
    if (context.req.method !== 'GET') context.set('body', await context.req.text())
    await next()
  })
  api.use(applyRequestFaults(parts))
  api.onError((error, context) => {
    if (error instanceof Problem) return answerProblem(context, error)
    // Any other error is a bug of this service.
    if (!(error instanceof MockServerError)) throw error
    return answerProblem(context, new Problem(422, { code: 'invalid_body', message: error.message }))
  })
  api.notFound((context) => {
    // This also answers the operations that a contract variant removes (open points 8 and 14).
    const message = 'This service does not support this operation.'
    return answerProblem(context, new Problem(404, { code: 'unknown_operation', message }))
  })

  /** The answer to a refused request (open point 22). */
  function answerProblem(context: Context, { error, status, headers }: Problem): Response | Promise<Response> {
    if (contract.errorBody === 'json') return context.json({ error }, status, headers)
    if (contract.errorBody === 'empty') return context.body(null, status, headers)
    return context.html(`<!doctype html><title>${status}</title><h1>${status}</h1>`, status, headers)
  }

  mountNoteOperations(api, parts, random)
  mountEndpointOperations(api, parts)
  return {
    requests,
    answer: async (request) => {
      timeline.recordActivity()
      return await api.fetch(request)
    },
  }
}
