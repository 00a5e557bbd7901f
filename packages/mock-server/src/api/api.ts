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

/** @returns the API. It rejects with `ConnectionDropped` if a fault rule breaks the connection */
export function createApi(parts: ServiceParts, random: SeededRandom): (request: Request) => Promise<Response> {
  const { timeline, owners, contract, requestLog } = parts
  const api = new Hono<ApiEnv>()

  api.use(async (context, next) => {
    const { world, ...identity } = identify(context, owners)
    const request_id = world.makeIdentifier('request')
    if (contract.requestId) context.header('x-request-id', request_id)
    const at = timeline.now()
    context.header('date', new Date(at).toUTCString())
    const { method, path } = context.req
    const query = context.req.query()
    const arrived = { request_id, at, method, path, query, ...identity }
    const number = requestLog.add({ ...arrived, body: '', status: undefined, duration_ms: 0, answer: undefined })
    const answered = async (response?: Response) => {
      const answer = response && (await requestLog.answerIn(response))
      const [body, duration_ms] = [context.get('body') ?? '', timeline.now() - at]
      requestLog.replace(number, { ...arrived, body, status: response?.status, duration_ms, answer })
    }
    try {
      await next()
    } catch (error) {
      await answered()
      throw error
    }
    await answered(context.res)
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
  // The router ignores a slash at the end, and the service has no such paths.
  api.use(async (context, next) => (/.\/(\/|$)/.test(context.req.path) ? context.notFound() : await next()))
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
  return async (request) => {
    timeline.recordActivity()
    return await api.fetch(request)
  }
}
