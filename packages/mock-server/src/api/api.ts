import { bodyLimit } from 'hono/body-limit'
import { Hono } from 'hono/tiny'
import type { Timeline } from '../clock/timeline.ts'
import type { DeliveryEngine } from '../delivery/delivery-engine.ts'
import type { Endpoint } from '../delivery/endpoint.ts'
import type { Endpoints } from '../delivery/endpoints.ts'
import type { MakeIdentifier } from '../seed/identifiers.ts'
import type { World } from '../world/world.ts'
import type { ApiEnv } from './authorisation.ts'
import type { Cursors } from './cursor.ts'
import { mountEndpointOperations } from './endpoint-operations.ts'
import { mountNoteOperations } from './note-operations.ts'
import { bodyTooLarge, notFound, Problem } from './problem.ts'

const MAX_BODY_BYTES = 64 * 1024

interface ApiParts {
  readonly timeline: Timeline
  readonly makeIdentifier: MakeIdentifier
  readonly world: World
  readonly cursors: Cursors
  readonly endpoints: Endpoints
  readonly engine: DeliveryEngine
  readonly beforeCreationAnswer: (endpoint: Endpoint) => Promise<void>
}

/** The REST API (contract §4 and §7), as a function from requests to answers. */
export function createApi(parts: ApiParts): (request: Request) => Promise<Response> {
  const { timeline, makeIdentifier, world, cursors } = parts
  const api = new Hono<ApiEnv>()

  api.use(async (context, next) => {
    context.header('x-request-id', makeIdentifier('request'))
    context.header('date', new Date(timeline.now()).toUTCString())
    await next()
  })
  api.use(
    bodyLimit({
      maxSize: MAX_BODY_BYTES,
      onError: () => {
        throw bodyTooLarge(MAX_BODY_BYTES)
      },
    }),
  )
  api.onError((error, context) => {
    // Anything else is a fault of this service, to be seen and not to be answered.
    if (!(error instanceof Problem)) throw error
    return context.json(error.body, error.status)
  })
  api.notFound((context) => {
    const { status, body } = notFound('operation')
    return context.json(body, status)
  })

  mountNoteOperations(api, world, cursors)
  mountEndpointOperations(api, { ...parts, integrations: world.integrations })

  return async (request) => {
    timeline.noteActivity()
    return await api.fetch(request)
  }
}
