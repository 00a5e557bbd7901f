import type { ReceivedRequest } from '../api/request-log.ts'
import type { ServiceClock } from '../clock/service-clock.ts'
import type { Attempt } from '../delivery/attempt.ts'
import type { Disorder } from '../delivery/attempt-faults.ts'
import type { ReceiverFetch } from '../delivery/attempt-sender.ts'
import type { Delivery } from '../delivery/delivery.ts'
import type { Faults } from '../faults/faults.ts'
import type { ConnectedEndpoint, ConnectOptions } from '../transports/connect.ts'
import type { HandlersOptions, MswHttp } from '../transports/msw-handlers.ts'
import type { ListenOptions } from '../transports/service-port.ts'
import type { Owner } from '../world/owner.ts'

/**
 * A notes service in this process: its REST API, webhooks, clock and owners. Services share no state. Create one with
 * `createNotesService`.
 */
export interface NotesService extends AsyncDisposable {
  /** The base URL of the API, without `/v1`: an https URL that does not exist, or after {@link NotesService.listen} that of the port. */
  readonly baseUrl: string
  /** The same as `owner.apiKey`. */
  readonly apiKey: string
  /** The clock of this service. Pass it to the receiver under test. */
  readonly clock: ServiceClock
  /** The first owner, and the only one unless you create others. */
  readonly owner: Owner
  /** Every owner, in order of creation. */
  readonly owners: readonly Owner[]
  /**
   * Creates another owner, whose notes, channels, integrations and endpoints are separate from those of all others.
   *
   * @param options  `name` is `owner-2`, `owner-3` and so on by default
   */
  createOwner(options?: { readonly name?: string | undefined }): Owner
  /** The line of code that creates the same service again: its seed and its other options, without the acts of the test. */
  readonly recipe: string
  /** The last requests to the API, in order of arrival: 1,000, unless `keepLast` says otherwise. */
  readonly requests: readonly ReceivedRequest[]
  /** The last attempts, in the order in which they were sent. */
  readonly attempts: readonly Attempt[]
  /** The last deliveries, in order of creation. */
  readonly deliveries: readonly Delivery[]
  /** How many older entries each log has dropped. */
  readonly dropped: { readonly requests: number; readonly attempts: number; readonly deliveries: number }
  /** The fault rules: each affects certain calls, or a share of calls that the seed selects. */
  readonly faults: Faults
  /**
   * Random delivery faults from now on.
   *
   * @throws `MockServerError` `option_invalid` when set to an unknown property, or a share outside 0 to 1
   */
  disorder: Disorder
  /**
   * Answers a request to the REST API. The host of the URL is ignored. It can be called without `this`.
   *
   * @throws `TypeError`, as a `fetch` does, when a fault rule breaks the connection; `MockServerError` `option_invalid` when the argument
   *   is no `Request`
   */
  fetch(request: Request): Promise<Response>
  /**
   * Listens on a port. The clock becomes the machine's, unless the service was created with `clock: 'virtual'`. The console is at
   * `/console`, and the control API at `/control`.
   *
   * @throws `MockServerError` `listen_failed` when the port is taken, `already_listening` the second time
   */
  listen(options?: ListenOptions): Promise<{ readonly url: string }>
  /**
   * Handlers for Mock Service Worker that answer the requests to {@link NotesService.baseUrl}, or to another base URL.
   *
   * @param http  `http` of msw, version 2 or 3
   * @throws `MockServerError` `base_url_taken` when another service, which is not closed, answers at this base URL
   */
  handlers<Handler>(http: MswHttp<Handler>, options?: HandlersOptions): Handler[]
  /**
   * Registers an endpoint whose receiver is in this process, and resolves after the first attempt to verify it. The requests are
   * the same as over a network.
   *
   * @param makeReceiver  gets the signing secret, and returns the `fetch` handler that answers the deliveries
   * @throws `MockServerError` `endpoint_refused` when the API refuses it, for example for a key without `webhooks:manage`
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
   * Resolves when no delivery, retry or summary is pending. A virtual clock advances as far as necessary; with a real clock, this
   * waits.
   */
  settled(): Promise<void>
  /** Stops every timer, socket and delivery. The logs stay readable, and every act throws `MockServerError` `service_closed`. */
  close(): Promise<void>
}
