import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { Hono } from 'hono/tiny'
import { MockServerError } from '../errors/mock-server-error.ts'
import type { MakeIdentifier } from '../seed/identifiers.ts'
import type { Contract } from '../variants/contract-variants.ts'
import type { ApiEnv } from './authorisation.ts'
import type { Cursors } from './cursor.ts'
import { mountEndpointOperations } from './endpoint-operations.ts'
import { mountNoteOperations } from './note-operations.ts'
import { bodyTooLarge, invalidBody, Problem, unknownOperation } from './problem.ts'
import { strikeRequests } from './request-faults.ts'
import type { RequestLog } from './request-log.ts'
import type { ServiceParts } from './service-parts.ts'

const MAX_BODY_BYTES = 64 * 1024

interface ApiParts extends ServiceParts {
  readonly makeIdentifier: MakeIdentifier
  readonly cursors: Cursors
  readonly log: RequestLog
}

/** The REST API (contract §4 and §7). The returned function rejects with `ConnectionDropped` if a fault rule breaks the connection. */
export function createApi(parts: ApiParts): (request: Request) => Promise<Response> {
  const { timeline, makeIdentifier, log, contract } = parts
  const api = new Hono<ApiEnv>()

  api.use(async (context, next) => {
    const request_id = makeIdentifier('request')
    if (contract.requestId) context.header('x-request-id', request_id)
    context.header('date', new Date(timeline.now()).toUTCString())
    const { method, path } = context.req
    const answered = log.arrived({ request_id, method, path, query: context.req.query() })
    const known = () => ({ key_id: context.get('keyId'), body: context.get('body') ?? '' })
    try {
      await next()
      answered({ ...known(), status: context.res.status })
    } catch (error) {
      answered({ ...known(), status: undefined })
      throw error
    }
  })
  api.use(
    bodyLimit({
      maxSize: MAX_BODY_BYTES,
      onError: () => {
        throw bodyTooLarge(MAX_BODY_BYTES)
      },
    }),
  )
  api.use(async (context, next) => {
    if (context.req.method !== 'GET') context.set('body', await context.req.text())
    await next()
  })
  api.use(strikeRequests(parts))
  api.onError((error, context) => {
    if (error instanceof MockServerError) return answerProblem(context, invalidBody(error.message), contract)
    // Anything else is a bug of this service.
    if (!(error instanceof Problem)) throw error
    return answerProblem(context, error, contract)
  })
  api.notFound((context) => answerProblem(context, unknownOperation(), contract))

  mountNoteOperations(api, parts)
  mountEndpointOperations(api, parts)

  return async (request) => {
    timeline.noteActivity()
    return await api.fetch(request)
  }
}

/** The answer to a refused request (open point 22). */
function answerProblem(context: Context, { body, status, headers }: Problem, { errorBody }: Contract): Response {
  switch (errorBody) {
    case 'json':
      return context.json(body, status, headers)
    case 'html':
      return context.html(`<!doctype html><title>${status}</title><h1>${status}</h1>`, status, headers)
    case 'empty':
      return context.body(null, status, headers)
  }
}
