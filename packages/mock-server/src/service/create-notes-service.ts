import { urlPolicyOf } from '../addresses/url-policy.ts'
import { createApi } from '../api/api.ts'
import { ConnectionDropped } from '../api/request-faults.ts'
import { RequestLog } from '../api/request-log.ts'
import { Timeline } from '../clock/timeline.ts'
import { checkDisorder } from '../delivery/attempt-faults.ts'
import { AttemptSender } from '../delivery/attempt-sender.ts'
import { DeliveryEngine } from '../delivery/delivery-engine.ts'
import { Endpoints } from '../delivery/endpoints.ts'
import { checked } from '../errors/checked.ts'
import { FaultRules } from '../faults/faults.ts'
import { SeededRandom } from '../seed/seeded-random.ts'
import { connectorOf } from '../transports/connect.ts'
import { mswHandlers } from '../transports/msw-handlers.ts'
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

function openService(options: NotesServiceOptions): NotesService {
  const given = checked('createNotesService', serviceOptionsSchema, options)
  const { seed, clock, contract, disorder, urlPolicy } = given
  const random = new SeededRandom(String(seed))
  const timeline = new Timeline(clock ?? 'virtual')
  const sender = new AttemptSender(timeline, urlPolicyOf(urlPolicy))
  const faults = new FaultRules()
  for (const rule of options.faults ?? []) faults.inject(rule)
  const simulated = { timeline, contract, faults, sender }
  const engine = new DeliveryEngine({ ...simulated, disorder: Object.freeze(disorder) })
  const endpoints = new Endpoints({ ...simulated, engine })
  const owners = new Owners({
    ...simulated,
    owners: given.owners,
    notes: given.notes,
    random,
    identifierSeed: given.identifierSeed,
    announce: (event, integrations) => endpoints.announce(event, integrations),
  })
  const baseUrl = () => port.url ?? `https://notes-service-${seed}.test`
  const requestLog = new RequestLog()
  const parts = { ...simulated, baseUrl, owners, endpoints, engine, requestLog }
  const answer = createApi(parts, random)
  const fetch = (request: Request) => answer(request).catch(failAsFetchDoes)
  const port = new ServicePort({
    fetch: answer,
    async makeConsole() {
      requestLog.keepAnswers()
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
    requests: requestLog.requests,
    attempts: engine.attempts,
    deliveries: engine.deliveries,
    faults,
    get disorder() {
      return engine.disorder
    },
    set disorder(next) {
      engine.disorder = checkDisorder(next)
    },
    fetch,
    async listen(options = {}) {
      const url = await port.open(checked('service.listen', listenOptionsSchema, options))
      if (clock === undefined) timeline.switchToReal()
      return { url }
    },
    handlers: (http) => mswHandlers(http, baseUrl(), answer),
    connect: connectorOf({ ...parts, fetch }),
    settled: () => timeline.settled(),
    close,
    [Symbol.asyncDispose]: close,
  }

  async function close(): Promise<void> {
    timeline.close()
    sender.close()
    await port.close()
  }
}

/** Reports a broken connection as the runtime's `fetch` does. */
function failAsFetchDoes(error: unknown): never {
  if (!(error instanceof ConnectionDropped)) throw error
  throw new TypeError('fetch failed', {
    cause: Object.assign(new Error('the connection was reset'), { code: 'ECONNRESET' }),
  })
}
