import type { NotesService } from '@notewire/mock-server'
import { never } from '../simulation/never.ts'
import type { Random } from '../simulation/random.ts'
import {
  type Answer,
  answerOf,
  errorAnswer,
  isListing,
  refusedCursor,
  withoutNotes,
  withoutTombstones,
  withUnusableRecord,
} from './answer.ts'
import type { HistoryContext } from './history-context.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import { StaleAnswers } from './stale-answers.ts'

/** More requests than any history needs: beyond it, a mirror repeats requests endlessly. */
const MAX_REQUESTS = 6_000

/** One request and its outcome. */
interface Exchange {
  readonly process: SimulatedProcess
  readonly request: Request
  readonly requestedAt: number
  /** Describes the request in the log. */
  readonly description: string
  readonly outcome: Outcome
  readonly backMs: number
}

/** What happens to a request, apart from delays. */
type Outcome = 'answered' | 'refused' | 'denied' | 'reset before' | 'reset after' | 'never answered' | 'truncated'

/** The network between the instances and the service's API, with delays and faults. */
export class Network {
  requests = 0
  readonly #context: HistoryContext
  readonly #stale: StaleAnswers
  readonly #forgottenCursors = new Set<string>()
  /** Whether the service answers requests for transcripts and summaries with errors. */
  refusesContent = false
  #deniedUntil = 0
  #held: HeldAnswers | undefined
  #onReadListener: (noteId: string, withinMs: number) => void = () => undefined

  constructor(context: HistoryContext) {
    this.#context = context
    this.#stale = new StaleAnswers(context)
  }

  /** Sets a listener that may change a note while the answer to a read of it is in transit. */
  onRead(listener: (noteId: string, withinMs: number) => void): void {
    this.#onReadListener = listener
  }

  /** Holds every answer about a note back that the service makes from now on. */
  holdAnswers(noteId: string): HeldAnswers {
    this.#held = new HeldAnswers(noteId)
    return this.#held
  }

  /** The `fetch` of one process. */
  fetchOf(process: SimulatedProcess): (request: Request) => Promise<Response> {
    return (request) => (process.dead ? never<Response>() : this.#send(process, request))
  }

  #send(process: SimulatedProcess, request: Request): Promise<Response> {
    const { logicalClock, schedule, checker, inWords } = this.#context
    this.requests += 1
    if (this.requests > MAX_REQUESTS) checker.violated('It sends requests endlessly.')
    const { outMs, backMs } = this.#latency()
    const description = inWords ? this.#describe(request) : ''
    const exchange = {
      process,
      request,
      requestedAt: logicalClock.next(),
      description,
      outcome: this.refusesContent && isContent(request) ? 'refused' : this.#drawOutcome(),
      backMs,
    }
    process.log(() => `asks ${description}`)
    const end = this.#beginRead(process, request)
    return new Promise<Response>((resolve, reject) => {
      schedule.after(outMs, () => schedule.hold(this.#arrive(exchange, resolve, reject)), process)
    }).finally(end)
  }

  /** Checks that no job of a process reads a note twice at the same time. Returns a function that ends the read, as does the signal of the request. */
  #beginRead(process: SimulatedProcess, { url, signal }: Request): () => void {
    if (!url.endsWith('/transcript')) return () => undefined
    const read = {}
    const reads = process.reads.get(url) ?? new Set()
    process.reads.set(url, reads.add(read))
    // One job may have been begun without being counted.
    if (reads.size > process.jobs + 1) {
      this.#context.checker.violated(`It reads a transcript ${reads.size} times at once, in ${process.jobs} jobs.`)
    }
    const end = () => void reads.delete(read)
    signal.addEventListener('abort', end)
    return end
  }

  async #arrive(
    exchange: Exchange,
    resolve: (response: Response) => void,
    reject: (error: Error) => void,
  ): Promise<void> {
    const { schedule } = this.#context
    const { outcome, process, backMs, description, requestedAt } = exchange
    const back = (arrive: () => void) => {
      if (this.#held?.hold(exchange.request, arrive) !== true) schedule.after(backMs, arrive, process)
    }
    if (outcome === 'never answered') return
    const isAsked = outcome !== 'refused' && outcome !== 'denied' && outcome !== 'reset before'
    const answer = isAsked ? await this.#spoil(await this.#ask(exchange)) : errorAnswer(outcome, this.#context)
    const noteId = noteIdIn(answer)
    if (noteId !== undefined && this.#context.occurs('changeDuringRead'))
      this.#onReadListener(noteId, backMs + CHANGE_WITHIN_MS)
    if (isAsked) process.log(() => `is answered ${describeAnswer(answer)} to ${description}, in ${backMs} ms`)
    back(() => {
      if (outcome === 'reset before' || outcome === 'reset after') {
        process.log(() => `loses its connection for ${description}`)
        reject(connectionReset())
        return
      }
      process.log(() => `has ${outcome === 'answered' ? '' : `${outcome} `}${answer.status} to ${description}`)
      // A 404 is understood without its body.
      if (outcome === 'answered' || answer.status === 404) this.#context.checker.onAnswer(answer, requestedAt)
      resolve(answerOf(answer, outcome === 'truncated'))
    })
  }

  /** Requests the answer of the service. */
  async #ask({ request, process }: Exchange): Promise<Answer> {
    const { world, logicalClock } = this.#context
    await world.catchUp()
    const url = new URL(request.url)
    const cursor = isListing(url) ? url.searchParams.get('cursor') : null
    const service = await this.#serverOf(process)
    const response = await service.fetch(request)
    const isExpired = cursor !== null && response.status === 400
    if (isExpired || this.#isForgotten(cursor)) {
      return refusedCursor(url, this.#context.scenario.cursorRefusal, logicalClock.next())
    }
    const text = await response.text()
    const answer = { url, status: response.status, headers: response.headers, text, madeAt: logicalClock.next() }
    if (response.status === 200 && isListing(url)) {
      const mayBeEmpty = !url.searchParams.has('cursor') && !process.readsFromList()
      if (mayBeEmpty && this.#context.occurs('emptyList')) return withoutNotes(answer)
      if (!this.#context.scenario.areTombstonesListed) return this.#stale.instead(withoutTombstones(answer))
    }
    return this.#stale.instead(answer)
  }

  #isForgotten(cursor: string | null): boolean {
    if (cursor === null) return false
    if (this.#context.occurs('forgottenCursor')) this.#forgottenCursors.add(cursor)
    return this.#forgottenCursors.has(cursor)
  }

  async #spoil(answer: Answer): Promise<Answer> {
    const isOfNotes = answer.status === 200 && !/transcript|summary/.test(answer.url.pathname)
    if (!isOfNotes || !this.#context.occurs('unusableRecord')) return answer
    const { random } = this.#context
    const field = random.pick(['revision', 'identifier'] as const)
    const isOfAll = isListing(answer.url) && !answer.url.searchParams.has('updated_after')
    // A process that died may have listed all notes, but not recorded it.
    const isFirst = isListing(answer.url) && !(await this.#isBackfilled())
    if (field === 'identifier' && (isOfAll || isFirst)) this.#context.hasUnidentifiedNote = true
    return withUnusableRecord(answer, field, random)
  }

  async #isBackfilled(): Promise<boolean> {
    const { store, integration } = this.#context
    return (await store.readProgress(integration)).progress.poll.backfilledAt !== null
  }

  /** The service, or one of its replicas. */
  async #serverOf(process: SimulatedProcess): Promise<Pick<NotesService, 'fetch'>> {
    const { world, random, schedule } = this.#context
    if (world.restored !== undefined) {
      await world.restored.catchUp(schedule.now)
      return world.restored
    }
    const [first, ...others] = world.replicas
    if (first === undefined || !this.#context.occurs('laggingAnswer')) return world.service
    const replica = random.pick([first, ...others])
    await replica.catchUp(schedule.now)
    process.log(() => `asks a replica that lags by ${replica.lagMs} ms`)
    return replica
  }

  #latency(): { readonly outMs: number; readonly backMs: number } {
    const { random } = this.#context
    if (!this.#context.occurs('slowAnswer'))
      return { outMs: random.pick(LATENCIES_MS), backMs: random.pick(LATENCIES_MS) }
    const slowMs = random.integer(20, random.pick([60, 400, 4_000, 9_900, 30_000]))
    const outMs = random.pick([0, slowMs, random.integer(0, slowMs)])
    return { outMs, backMs: slowMs - outMs }
  }

  #drawOutcome(): Outcome {
    const { schedule, random } = this.#context
    const occurs = (fault: Parameters<HistoryContext['occurs']>[0]) => this.#context.occurs(fault)
    if (occurs('denial')) this.#deniedUntil = schedule.now + random.pick([0, 100, 60_000])
    if (schedule.now <= this.#deniedUntil && !this.#context.faultsAreOver) return 'denied'
    if (occurs('refusal')) return 'refused'
    if (occurs('reset')) return random.pick(['reset before', 'reset after'])
    if (occurs('silence')) return 'never answered'
    return occurs('truncation') ? 'truncated' : 'answered'
  }

  #describe({ url }: Request): string {
    const { pathname, searchParams } = new URL(url)
    const path = pathname
      .replace('/v1/notes', 'notes')
      .replace(/note_\w+/, (noteId) => this.#context.world.find(noteId)?.name.replace(' ', '-') ?? noteId)
    const query = [...searchParams].map(([name, value]) => `${name}=${value}`).join(' ')
    return `${path}${query === '' ? '' : ` (${query})`}`
  }
}

/** Answers about one note that are in transit until they are released. */
export class HeldAnswers {
  readonly #noteId: string
  readonly #arrivals: (() => void)[] = []
  #isOver = false

  constructor(noteId: string) {
    this.#noteId = noteId
  }

  get count(): number {
    return this.#arrivals.length
  }

  hold({ url }: Request, arrive: () => void): boolean {
    if (this.#isOver || !url.includes(this.#noteId)) return false
    this.#arrivals.push(arrive)
    return true
  }

  /** Holds no more answers. Those that are held stay in transit. */
  end(): void {
    this.#isOver = true
  }

  release(): void {
    this.end()
    for (const arrive of this.#arrivals.splice(0)) arrive()
  }
}

const LATENCIES_MS: Parameters<Random['pick']>[0] & readonly [number, ...number[]] = [1, 1, 2, 3, 8, 20]

const CHANGE_WITHIN_MS = 30

/** The id of the requested note, or of the first note on a page. */
function noteIdIn({ url, text }: Answer): string | undefined {
  return (/note_\w+/.exec(url.pathname) ?? /note_\w{8,}/.exec(text))?.[0]
}

function isContent({ url }: Request): boolean {
  return /\/(?:transcript|summary)$/.test(url)
}

function describeAnswer({ status, text }: Answer): string {
  return `${status} ${text.length > 160 ? `${text.slice(0, 160)}…` : text}`
}

function connectionReset(): Error {
  return new TypeError('fetch failed', {
    cause: Object.assign(new Error('the connection was reset'), { code: 'ECONNRESET' }),
  })
}
