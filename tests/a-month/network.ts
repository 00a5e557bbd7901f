import type { NotesService } from '@notewire/mock-server'
import { isNoteEventKind } from '@notewire/protocol'
import { type Front, startFront } from '../many-mirrors/front.ts'
import type { Crew } from '../mirror-under-fire/crew.ts'
import { never } from '../simulation/never.ts'
import { type Command, type GivenCommand, TIME_HEADER } from './application-settings.ts'
import type { Customer } from './customers.ts'

/** What the application answers to a command: `'dead'` if no process could carry it out. */
export type CommandResult = 'done' | 'dead' | { readonly failed: string }

/** How long the application waits for a response that does not come, and for one that comes: a slow machine is no disaster. */
const [HANGING_MS, RESPONDING_MS] = [300, 30_000]

/** The network between the service and the application, over which each of them reaches the other. */
export class Network {
  /** Whether requests to the service get no response. */
  isHanging = false
  /** Whether no delivery reaches the application. */
  isCut = false
  readonly #acknowledged = new Map<string, Set<string>>()
  readonly #service: NotesService
  readonly #crew: Crew
  #requests = 0
  #front: Front | undefined

  constructor(service: NotesService, crew: Crew) {
    this.#service = service
    this.#crew = crew
  }

  async open(): Promise<void> {
    this.#front = await startFront((request) =>
      new URL(request.url).pathname.startsWith('/v1/') ? this.#ask(request) : this.#deliver(request),
    )
  }

  /** The base URL of the service for the application, and the URL of the application for the service. */
  get url(): string {
    return this.#front?.url ?? ''
  }

  /** The events about notes that the application has acknowledged. */
  acknowledgedBy(customer: Customer): ReadonlySet<string> {
    return this.#acknowledged.get(customer) ?? new Set()
  }

  async close(): Promise<void> {
    await this.#front?.close()
  }

  async command(command: Command, apiKey = ''): Promise<CommandResult> {
    const given: GivenCommand = { ...command, apiKey, timeoutMs: this.isHanging ? HANGING_MS : RESPONDING_MS }
    const request = new Request('http://application/do', { method: 'POST', body: JSON.stringify(given) })
    const response = await this.#passOn(request)
    if (response.ok) return 'done'
    return response.status === 500 ? { failed: await response.text() } : 'dead'
  }

  async #ask(request: Request): Promise<Response> {
    if (this.isHanging) return await never()
    const { pathname, search } = new URL(request.url)
    const { method, headers } = request
    const body = method === 'GET' ? null : await request.arrayBuffer()
    return await fetch(`${this.#service.baseUrl}${pathname}${search}`, { method, headers, body })
  }

  async #deliver(request: Request): Promise<Response> {
    if (this.isCut) return new Response(null, { status: 502 })
    const text = await request.clone().text()
    const response = await this.#passOn(request)
    if (response.ok) this.#noteAcknowledgement(new URL(request.url).pathname.split('/').at(-1) ?? '', text)
    return response
  }

  #noteAcknowledgement(customer: string, text: string): void {
    const { event_id, event_type }: { readonly event_id: string; readonly event_type: string } = JSON.parse(text)
    if (!isNoteEventKind(event_type)) return
    this.#acknowledged.set(customer, (this.#acknowledged.get(customer) ?? new Set()).add(event_id))
  }

  async #passOn(request: Request): Promise<Response> {
    request.headers.set(TIME_HEADER, String(this.#service.clock.now()))
    // The processes take turns, if there are several.
    this.#requests += 1
    return await this.#crew.answer(request, this.#requests)
  }
}
