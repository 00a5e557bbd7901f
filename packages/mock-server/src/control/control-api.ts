import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { Hono } from 'hono/tiny'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import * as z from 'zod/mini'
import { endpointResource } from '../api/endpoint-resource.ts'
import { durationSchema } from '../clock/duration.ts'
import type { Endpoint } from '../delivery/endpoint.ts'
import { checked, fields } from '../errors/checked.ts'
import { MockServerError, type MockServerErrorCode } from '../errors/mock-server-error.ts'
import { faultRuleSchema } from '../faults/fault-rule.ts'
import { noteChangesSchema, outcomeSchema } from '../world/create-owner.ts'
import type { Integration } from '../world/integration.ts'
import type { NoteRecord } from '../world/note-record.ts'
import {
  Control,
  endpointChangesSchema,
  moveSchema,
  newChannelSchema,
  newEndpointSchema,
  newIntegrationSchema,
  newNoteSchema,
  type ServiceParts,
  unknown,
} from './control.ts'
import { deliveryOf, newestDeliveries } from './delivery-log.ts'
import { trigger, triggerSchema } from './trigger.ts'

/** Method and path, as in `POST /control/notes/:note_id/sessions`. */
type ControlRoute = `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /control/${string}`

/** An operation of the control API. */
interface ControlOperation {
  readonly summary: string
  /** The status of a success. 204 has no body. @default 200 */
  readonly status?: 201 | 202 | 204
  /** The schema of the JSON body, or of the query for `GET`. */
  readonly input?: z.ZodMiniType
  /** Does it, and returns the body of the answer. */
  readonly run: (
    service: ControlledService,
    request: ControlRequest,
  ) => object | undefined | Promise<object | undefined>
}

/** The parts of a service, with the actions on them. */
interface ControlledService extends ServiceParts {
  readonly control: Control
}

interface ControlRequest {
  /** A parameter of the path. */
  readonly id: (name: string) => string
  /** The JSON body or the query, not checked yet. */
  readonly input: unknown
}

const wholeFrom0 = z.coerce.number().check(z.minimum(0), z.multipleOf(1))
const limit = z._default(wholeFrom0, 50).check(z.describe('The most that are listed.'))
const skip = z._default(wholeFrom0, 0).check(z.describe('How many of the newest are left out.'))
const notesQuery = fields({ limit, skip })
const deliveriesQuery = fields({
  note_id: z.optional(z.string()),
  endpoint_id: z.optional(z.string()),
  status: z.optional(z.enum(['pending', 'delivered', 'given_up', 'lost'])),
  limit,
  skip,
})
const advanceSchema = fields({
  by: durationSchema.check(z.describe('How far: "26h40m", "90s", or milliseconds.')),
})
const newKeySchema = fields({
  scopes: z.optional(z.array(z.string()).check(z.minLength(1))).check(z.describe('Default: all scopes.')),
})

/** Every operation of the control API. */
export const CONTROL_OPERATIONS: Readonly<Record<ControlRoute, ControlOperation>> = {
  'POST /control/trigger': {
    summary: 'Make an event happen',
    input: triggerSchema,
    run: (service, { input }) => trigger(service.control, service, input),
  },
  'GET /control/endpoints': {
    summary: 'List the endpoints of all integrations',
    run: ({ endpoints }) => ({ endpoints: endpoints.all().map(endpointView) }),
  },
  'POST /control/endpoints': {
    summary: 'Register an endpoint',
    status: 201,
    input: newEndpointSchema,
    run: async ({ control }, { input }) => withSecret(await control.createEndpoint(input)),
  },
  'PATCH /control/endpoints/:endpoint_id': {
    summary: 'Change an endpoint. Another URL is verified',
    input: endpointChangesSchema,
    run: async ({ control }, { id, input }) => endpointView(await control.changeEndpoint(id('endpoint_id'), input)),
  },
  'DELETE /control/endpoints/:endpoint_id': {
    summary: 'Delete an endpoint',
    status: 204,
    run: ({ control }, { id }) => void control.deleteEndpoint(id('endpoint_id')),
  },
  'POST /control/endpoints/:endpoint_id/rotate-secret': {
    summary: 'Rotate the signing secret of an endpoint',
    run: ({ control }, { id }) => withSecret(control.rotateSecret(id('endpoint_id'))),
  },
  'GET /control/deliveries': {
    summary: 'List deliveries with their attempts, the newest first',
    input: deliveriesQuery,
    run: ({ engine }, { input }) => {
      const { note_id: note, endpoint_id: endpoint, status, ...part } = checked('the query', deliveriesQuery, input)
      const { deliveries } = newestDeliveries(engine, { note, endpoint, status }, part)
      return { deliveries: deliveries.map(({ delivery, attempts }) => ({ ...delivery, attempts })) }
    },
  },
  'GET /control/deliveries/:delivery_id': {
    summary: 'Read a delivery with its attempts',
    run: ({ engine }, { id }) => {
      const logged = deliveryOf(engine, id('delivery_id'))
      if (logged === undefined) throw unknown('delivery_unknown', `delivery ${id('delivery_id')}`)
      return { ...logged.delivery, attempts: logged.attempts }
    },
  },
  'POST /control/deliveries/:delivery_id/replay': {
    summary: 'Deliver the event of a delivery again',
    status: 202,
    run: ({ control }, { id }) => ({ delivery_id: control.replay(id('delivery_id')).delivery_id }),
  },
  'GET /control/notes': {
    summary: 'List notes, the newest first, including tombstones',
    input: notesQuery,
    run: ({ world }, { input }) => {
      const { limit, skip } = checked('the query', notesQuery, input)
      const end = Math.max(0, world.notes.all().length - skip)
      return {
        notes: world.notes
          .all()
          .slice(Math.max(0, end - limit), end)
          .reverse()
          .map(noteView),
      }
    },
  },
  'POST /control/notes': {
    summary: 'Create a note and start its first recording session',
    status: 201,
    input: newNoteSchema,
    run: ({ control }, { input }) => noteView(control.recordNote(input)),
  },
  'GET /control/notes/:note_id': {
    summary: 'Read a note with its recording sessions',
    run: ({ world }, { id }) => noteView(world.note(id('note_id'))),
  },
  'PATCH /control/notes/:note_id': {
    summary: 'Edit the title or the content of a note',
    input: noteChangesSchema,
    run: ({ control, world }, { id, input }) => {
      control.editNote(id('note_id'), input)
      return noteView(world.note(id('note_id')))
    },
  },
  'POST /control/notes/:note_id/move': {
    summary: 'Move a note to a channel, or to the personal notes',
    input: moveSchema,
    run: ({ control, world }, { id, input }) => {
      control.moveNote(id('note_id'), input)
      return noteView(world.note(id('note_id')))
    },
  },
  'DELETE /control/notes/:note_id': {
    summary: 'Delete a note',
    status: 204,
    run: ({ world }, { id }) => void world.deleteNote(id('note_id')),
  },
  'POST /control/notes/:note_id/sessions': {
    summary: 'Start another recording session of a note',
    status: 201,
    run: ({ world }, { id }) => ({ recording_session_id: world.beginSession(id('note_id')) }),
  },
  'POST /control/notes/:note_id/sessions/:recording_session_id/end': {
    summary: 'End a recording session',
    input: outcomeSchema,
    run: ({ world }, { id, input }) => {
      const outcome = checked('the end of a session', outcomeSchema, input)
      world.endSession(id('note_id'), id('recording_session_id'), outcome)
      return noteView(world.note(id('note_id')))
    },
  },
  'GET /control/channels': {
    summary: 'List the channels',
    run: ({ world }) => ({ channels: world.channels() }),
  },
  'POST /control/channels': {
    summary: 'Create a channel',
    status: 201,
    input: newChannelSchema,
    run: ({ control }, { input }) => control.createChannel(input),
  },
  'GET /control/integrations': {
    summary: 'List the integrations with their keys, without the secrets of the keys',
    run: ({ world }) => ({ integrations: world.integrations.all().map((each) => integrationView(world, each)) }),
  },
  'POST /control/integrations': {
    summary: 'Create an integration for the personal notes, or for channels',
    status: 201,
    input: newIntegrationSchema,
    run: ({ control, world }, { input }) => integrationView(world, control.createIntegration(input)),
  },
  'POST /control/integrations/:integration_id/keys': {
    summary: 'Issue an API key',
    status: 201,
    input: newKeySchema,
    run: ({ control }, { id, input }) => {
      const { key, apiKey } = control.issueKey(id('integration_id'), input)
      return { key_id: apiKey.key_id, key, scopes: apiKey.scopes }
    },
  },
  'DELETE /control/keys/:key_id': {
    summary: 'Revoke an API key',
    status: 204,
    run: ({ control }, { id }) => void control.revokeKey(id('key_id')),
  },
  'GET /control/faults': {
    summary: 'List the fault rules in force',
    run: ({ faults }) => ({ faults: faults.injected.map(faultView) }),
  },
  'POST /control/faults': {
    summary: 'Inject a fault',
    status: 201,
    input: faultRuleSchema,
    run: ({ faults }, { input }) => faultView(faults.inject(checked('a fault rule', faultRuleSchema, input))),
  },
  'DELETE /control/faults': {
    summary: 'Remove every fault rule',
    status: 204,
    run: ({ faults }) => void faults.clear(),
  },
  'DELETE /control/faults/:fault_id': {
    summary: 'Remove a fault rule',
    status: 204,
    run: ({ faults }, { id }) => {
      const fault = faults.injected.find(({ fault_id }) => fault_id === id('fault_id'))
      if (fault === undefined) throw unknown('fault_unknown', `fault ${id('fault_id')}`)
      fault.remove()
    },
  },
  'GET /control/clock': {
    summary: 'Read the clock',
    run: clockView,
  },
  'POST /control/clock/advance': {
    summary: 'Advance the virtual clock',
    input: advanceSchema,
    run: async (service, { input }) => {
      await service.timeline.advance(checked('the clock', advanceSchema, input).by)
      return clockView(service)
    },
  },
  'POST /control/clock/settle': {
    summary: 'Advance a virtual clock until no delivery, retry or summary is pending',
    run: async (service) => {
      // With the machine's clock, this would take as long as the longest retry.
      if (service.timeline.mode === 'virtual') await service.timeline.settled()
      return clockView(service)
    },
  },
}

/** The control API at `/control`: JSON operations on everything that the console shows. */
export function createControlApi(parts: ServiceParts): (request: Request) => Response | Promise<Response> {
  const api = new Hono()
  const service = { ...parts, control: new Control(parts) }
  api.use(bodyLimit({ maxSize: MAX_BODY_BYTES }))
  api.onError((error, context) => {
    if (!(error instanceof MockServerError)) throw error
    return refused(context, error)
  })
  api.notFound((context) => refused(context, unknownOperation()))
  for (const [route, { status = 200, run }] of Object.entries(CONTROL_OPERATIONS)) {
    const [method = '', path = ''] = route.split(' ')
    api.on(method, path, async (context) => {
      const input = method === 'GET' ? context.req.query() : await bodyOf(context)
      const answer = await run(service, { input, id: (name) => context.req.param(name) ?? '' })
      return answer === undefined ? context.body(null, 204) : context.json(answer, status === 204 ? 200 : status)
    })
  }
  return (request) => api.fetch(request)
}

const MAX_BODY_BYTES = 256 * 1024

/** The JSON body. A request without a body has an empty object. */
async function bodyOf(context: Context): Promise<unknown> {
  const text = await context.req.text()
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    throw new MockServerError('json_invalid', { problem: 'the body is not JSON', remedy: 'Send a JSON object.' })
  }
}

const STATUSES: Partial<Record<MockServerErrorCode, ContentfulStatusCode>> = {
  json_invalid: 400,
  option_invalid: 422,
  clock_not_virtual: 409,
  endpoint_missing: 409,
  endpoint_not_active: 409,
  note_deleted: 409,
  session_ended: 409,
}

/** The answer to a request that is refused: its code, problem and remedy. Everything that does not exist is a 404. */
function refused(context: Context, { code, message, problem, remedy, option }: MockServerError): Response {
  return context.json({ error: { code, message, problem, remedy, option } }, STATUSES[code] ?? 404)
}

function unknownOperation(): MockServerError {
  const problem = 'the control API has no such operation'
  return new MockServerError('operation_unknown', { problem, remedy: 'See its operations in openapi.json.' })
}

function endpointView(endpoint: Endpoint): object {
  return { ...endpointResource(endpoint), integration_id: endpoint.integration.integration_id }
}

function withSecret(endpoint: Endpoint): object {
  return { ...endpointView(endpoint), signing_secret: endpoint.secrets.text }
}

function noteView(note: NoteRecord): object {
  const { note_id, revision, title, content, status, transcript_status, summary_status, place, sessions } = note
  const times = {
    created_at: timestamp(note.created_at),
    updated_at: timestamp(note.updated_at),
    ended_at: timestamp(note.ended_at),
    deleted_at: timestamp(note.deleted_at),
  }
  return {
    ...{ note_id, revision, title, content, status, transcript_status, summary_status, place, ...times },
    sessions: sessions.map(({ recording_session_id, ended }) => ({ recording_session_id, ended })),
  }
}

function integrationView(world: ServiceParts['world'], integration: Integration): object {
  const keys = world.integrations.keysOf(integration).map(({ key_id, scopes }) => ({ key_id, scopes }))
  return { integration_id: integration.integration_id, places: integration.places, keys }
}

function faultView({ fault_id, rule, struck }: ServiceParts['faults']['injected'][number]): object {
  return { fault_id, rule, struck }
}

function clockView({ timeline }: ServiceParts): object {
  return { mode: timeline.mode, now: timestamp(timeline.now()) }
}

function timestamp(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
