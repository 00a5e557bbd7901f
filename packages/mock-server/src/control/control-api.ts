import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { Hono } from 'hono/tiny'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { ServiceParts } from '../api/service-parts.ts'
import { MockServerError, type MockServerErrorCode } from '../errors/mock-server-error.ts'
import { CONTROL_OPERATIONS } from './control-operations.ts'
import type { ControlOperation } from './operation.ts'

const MAX_BODY_BYTES = 256 * 1024

/** The control API at `/control`: JSON operations for everything that the console shows. */
export function createControlApi(service: ServiceParts): (request: Request) => Response | Promise<Response> {
  const api = new Hono()
  api.use(bodyLimit({ maxSize: MAX_BODY_BYTES }))
  api.onError((error, context) => {
    if (!(error instanceof MockServerError)) throw error
    return refused(context, error)
  })
  api.notFound((context) => refused(context, unknownOperation()))
  for (const [route, { status = 200, perform }] of Object.entries<ControlOperation>(CONTROL_OPERATIONS)) {
    const [method = '', path = ''] = route.split(' ')
    api.on(method, path, async (context) => {
      const input = method === 'GET' ? context.req.query() : await bodyOf(context)
      const answer = await perform(service, (name) => context.req.param(name) ?? '', input)
      return answer === undefined ? context.body(null, 204) : context.json(answer, status === 204 ? 200 : status)
    })
  }
  return (request) => api.fetch(request)
}

/** The JSON body; an empty object if the request has no body. */
async function bodyOf(context: Context): Promise<unknown> {
  const text = await context.req.text()
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    throw new MockServerError('json_invalid', 'the body is not JSON', 'Send a JSON object.')
  }
}

const STATUSES: Partial<Record<MockServerErrorCode, ContentfulStatusCode>> = {
  json_invalid: 400,
  option_invalid: 422,
  form_malformed: 422,
  clock_not_virtual: 409,
  endpoint_missing: 409,
  endpoint_not_active: 409,
  note_deleted: 409,
  session_ended: 409,
}

export function statusOf({ code }: MockServerError): ContentfulStatusCode {
  return STATUSES[code] ?? 404
}

function refused(context: Context, error: MockServerError): Response {
  const { code, message, problem, remedy, option } = error
  return context.json({ error: { code, message, problem, remedy, option } }, statusOf(error))
}

function unknownOperation(): MockServerError {
  const problem = 'the control API has no such operation'
  return new MockServerError('operation_unknown', problem, 'See its operations in openapi.json.')
}
