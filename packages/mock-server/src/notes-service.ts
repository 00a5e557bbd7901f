import type { ReceivedRequest } from './api/request-log.ts'
import type { ServiceClock } from './clock/service-clock.ts'
import type { Attempt } from './delivery/attempt.ts'
import type { ReceiverFetch } from './delivery/courier.ts'
import type { Delivery } from './delivery/delivery.ts'
import type { Disorder } from './delivery/disorder.ts'
import type { Faults } from './faults/faults.ts'
import type { ConnectedEndpoint, ConnectOptions } from './transports/connect.ts'
import type { MswHttp } from './transports/msw-handlers.ts'
import type { ListenOptions } from './transports/service-port.ts'
import type { Owner } from './world/owner.ts'

/**
 * A notes service of one's own: its REST API, its webhooks, its time and its owner, in this process. It shares nothing with
 * any other. Make one with `createNotesService`.
 */
export interface NotesService extends AsyncDisposable {
  /** Where the API is, without `/v1`: a made-up https URL, or the address of the port after {@link NotesService.listen}. */
  readonly baseUrl: string
  /** The full key of an integration for the personal notes, with all scopes. */
  readonly apiKey: string
  /** The time by which this service lives. Give it to the receiver and the client under test. */
  readonly clock: ServiceClock
  /** The person whose notes these are. */
  readonly owner: Owner
  /** The one line that makes this service again: its seed and its other options. Its acts are the test's own. */
  readonly recipe: string
  /** Every request that the API got so far, in order of arrival. */
  readonly requests: readonly ReceivedRequest[]
  /** Every attempt so far, in order of departure. */
  readonly attempts: readonly Attempt[]
  /** Every delivery so far, in order of creation. */
  readonly deliveries: readonly Delivery[]
  /** What goes wrong, one rule a fault: at a call, or by a share that the seed chooses. */
  readonly faults: Faults
  /**
   * What goes wrong on the way from now on, by shares.
   *
   * @throws `OptionError` when set to an unknown kind, or a share outside 0 to 1
   */
  disorder: Disorder
  /**
   * Answers a request to the REST API. The host does not matter. Needs no `this`.
   *
   * @throws `TypeError`, as a `fetch` does, when a fault rule breaks the connection
   */
  fetch(request: Request): Promise<Response>
  /**
   * Puts the service on a port, and its clock on real time unless it was made with `clock: 'virtual'`. Its console is at `/console`.
   *
   * @throws `TransportError` `listen_failed` when the port is taken, `already_listening` the second time
   */
  listen(options?: ListenOptions): Promise<{ readonly url: string }>
  /**
   * Handlers for Mock Service Worker that answer what is sent to {@link NotesService.baseUrl}.
   *
   * @param http  msw's own, of version 2 or 3
   * @example
   * ```ts
   * import { createNotesService } from '@notewire/mock-server'
   * import { http } from 'msw'
   * import { setupServer } from 'msw/node'
   *
   * await using service = await createNotesService({ notes: 3 })
   * const server = setupServer(...service.handlers(http))
   * server.listen()
   * const answer = await fetch(`${service.baseUrl}/v1/notes`, { headers: { authorization: `Bearer ${service.apiKey}` } })
   * console.log(answer.status)
   * server.close()
   * ```
   */
  handlers<Handler>(http: MswHttp<Handler>): Handler[]
  /**
   * Registers an endpoint whose receiver is in this process, and resolves once its verification has been answered. The
   * requests are those that a network would carry.
   *
   * @param makeReceiver  is told the signing secret, and returns what answers the deliveries: a receiver's `fetch`
   * @throws `TransportError` `endpoint_refused` when the API refuses it: a key without `webhooks:manage`, say
   * @example
   * ```ts
   * import { createNotesService } from '@notewire/mock-server'
   *
   * await using service = await createNotesService()
   * const endpoint = await service.connect((_secret) => async (request) => {
   *   console.log(await request.json())
   *   return new Response(null, { status: 204 })
   * })
   * console.log(endpoint.status) // 'active'
   * ```
   */
  connect(makeReceiver: (secret: string) => ReceiverFetch, options?: ConnectOptions): Promise<ConnectedEndpoint>
  /**
   * Resolves when no delivery, retry or summary is under way or to come. Virtual time is moved on as far as that takes;
   * real time is waited for.
   */
  settled(): Promise<void>
  /** Stops everything: no timer, socket or delivery is left. The logs stay readable. */
  close(): Promise<void>
}
