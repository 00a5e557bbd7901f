import { createApi } from '../api/api.ts'
import { ConnectionDropped } from '../api/request-faults.ts'
import { RequestLog } from '../api/request-log.ts'
import { Timeline } from '../clock/timeline.ts'
import { checkDisorder } from '../delivery/attempt-faults.ts'
import { AttemptSender } from '../delivery/attempt-sender.ts'
import { DeliveryEngine } from '../delivery/delivery-engine.ts'
import { Endpoints } from '../delivery/endpoints.ts'
import { checked } from '../errors/checked.ts'
import { MockServerError } from '../errors/mock-server-error.ts'
import { FaultRules } from '../faults/faults.ts'
import { SeededRandom } from '../seed/seeded-random.ts'
import { connectorOf } from '../transports/connect.ts'
import { requestAt } from '../transports/incoming-request.ts'
import { forgetHandlers, mswHandlers } from '../transports/msw-handlers.ts'
import { listenOptionsSchema, ServicePort } from '../transports/service-port.ts'
import { createOwner, newOwnerSchema } from '../world/create-owner.ts'
import { Owners } from '../world/owners.ts'
import type { NotesService } from './notes-service.ts'
import { type NotesServiceOptions, serviceOptionsSchema } from './service-options.ts'

/**
 * Creates a notes service that follows the contract, for development and tests: in this process, on a port, or with Mock Service
 * Worker.
 *
 * @throws `MockServerError` `option_invalid` when an option is unknown or has a wrong value
 * @example
 * ```ts
 * import { createNotesService } from '@notewire/mock-server'
 *
 * await using service = await createNotesService({ notes: 300 })
 * const { url } = await service.listen({ port: 4010 })
 * console.log(`The notes service is at ${url}; its key is ${service.apiKey}`)
 * ```
 */
export function createNotesService(options: NotesServiceOptions = {}): Promise<NotesService> {
  return new Promise((resolve) => resolve(openService(options)))
}

/** What the programs give a service, so that other programs know it before the start. By default, both are random. */
interface GivenSecrets {
  readonly apiKey?: string | undefined
  readonly signingSecret?: string | undefined
}

export function openService(options: NotesServiceOptions, { apiKey, signingSecret }: GivenSecrets = {}): NotesService {
  const given = checked('createNotesService', serviceOptionsSchema, options)
  const { seed, clock, contract, disorder, urlPolicy, keepLast } = given
  const random = new SeededRandom(String(seed))
  const timeline = new Timeline(clock ?? 'virtual')
  const sender = new AttemptSender(timeline, urlPolicy)
  const faults = new FaultRules()
  for (const rule of options.faults ?? []) faults.inject(rule)
  const simulated = { timeline, contract, faults, sender }
  const engine = new DeliveryEngine({ ...simulated, disorder: Object.freeze(disorder), keepLast })
  const endpoints = new Endpoints({ ...simulated, engine, signingSecret })
  const owners = new Owners({
    ...simulated,
    owners: given.owners,
    notes: given.notes,
    random,
    identifierSeed: given.identifierSeed,
    apiKey,
    announce: (event, integrations) => endpoints.announce(event, integrations),
  })
  const baseUrl = () => port.url ?? `https://notes-service-${seed}.test`
  const requestLog = new RequestLog(keepLast)
  const parts = { ...simulated, baseUrl, owners, endpoints, engine, requestLog }
  const answer = createApi(parts, random)
  const fetch = async (request: Request) => {
    if (!isRequest(request)) throw requestMissing()
    return await answer(await requestAt(request.url, request)).catch(failAsFetchDoes)
  }
  const port = new ServicePort({
    fetch: answer,
    async makeConsole() {
      requestLog.keepsAnswers = true
      const { createConsole } = await import('../console/console.ts')
      return createConsole(parts)
    },
  })

  return {
    get baseUrl() {
      return baseUrl()
    },
    apiKey: owners.first.apiKey,
    clock: timeline,
    owner: createOwner(owners.first),
    get owners() {
      return owners.all().map(createOwner)
    },
    createOwner: (options = {}) =>
      createOwner(owners.create(checked('service.createOwner', newOwnerSchema, options).name)),
    recipe: `createNotesService(${JSON.stringify(options)})`,
    requests: requestLog.entries,
    attempts: engine.attempts.entries,
    deliveries: engine.deliveries.entries,
    get dropped() {
      const { attempts, deliveries } = engine
      return { requests: requestLog.dropped, attempts: attempts.dropped, deliveries: deliveries.dropped }
    },
    faults,
    get disorder() {
      return engine.disorder
    },
    set disorder(next) {
      engine.disorder = checkDisorder(next)
    },
    fetch,
    async listen(options = {}) {
      timeline.requireOpen()
      const url = await port.open(checked('service.listen', listenOptionsSchema, options))
      if (clock === undefined) timeline.switchToReal()
      return { url }
    },
    handlers: (http, options) => mswHandlers({ service: parts, baseUrl, fetch: answer }, http, options),
    connect: connectorOf({ ...parts, fetch }),
    settled: () => timeline.settled(),
    close,
    [Symbol.asyncDispose]: close,
  }

  async function close(): Promise<void> {
    timeline.close()
    forgetHandlers(parts)
    sender.close()
    await port.close()
  }
}

/** A `Request` of this realm or of another, such as that of a test environment. */
function isRequest(request: Partial<Request> | null | undefined): boolean {
  return typeof request?.url === 'string' && typeof request.headers?.get === 'function'
}

function requestMissing(): MockServerError {
  const remedy = 'Pass one: new Request(service.baseUrl + "/v1/notes", { headers }).'
  return new MockServerError('option_invalid', 'service.fetch needs a Request', remedy, 'request')
}

/** Reports a broken connection as the runtime's `fetch` does. */
function failAsFetchDoes(error: unknown): never {
  if (!(error instanceof ConnectionDropped)) throw error
  throw new TypeError('fetch failed', {
    cause: Object.assign(new Error('the connection was reset'), { code: 'ECONNRESET' }),
  })
}
