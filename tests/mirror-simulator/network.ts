import type { NotesService } from '@notewire/mock-server'
import { never } from '../simulation/never.ts'
import type { Random } from '../simulation/random.ts'
import { type Answer, answerOf, madeUp, withoutNotes, withoutTombstones } from './answer.ts'
import type { Life } from './life.ts'
import type { Stage } from './stage.ts'
import { StaleAnswers } from './stale-answers.ts'

/** More requests than any history needs: whoever sends them runs in circles. */
const MOST_REQUESTS = 6_000

/** One request on its way. */
interface Exchange {
  readonly life: Life
  readonly request: Request
  readonly begunAt: number
  /** For the chronicle. */
  readonly words: string
  readonly fate: Fate
  readonly backMs: number
}

/** What becomes of a request beside time. */
type Fate = 'answered' | 'refused' | 'denied' | 'reset before' | 'reset after' | 'never answered' | 'truncated'

/** The way between the instances and the service's API: it takes time, and breaks. */
export class Network {
  requests = 0
  readonly #stage: Stage
  readonly #stale: StaleAnswers
  #deniedUntil = 0
  #meddle: (noteId: string, withinMs: number) => void = () => undefined

  constructor(stage: Stage) {
    this.#stage = stage
    this.#stale = new StaleAnswers(stage)
  }

  /** Has somebody meddle with a note while the answer of a read of it is on its way. */
  onRead(meddle: (noteId: string, withinMs: number) => void): void {
    this.#meddle = meddle
  }

  /** The `fetch` of one process. */
  fetchOf(life: Life): (request: Request) => Promise<Response> {
    return (request) => (life.dead ? never<Response>() : this.#send(life, request))
  }

  #send(life: Life, request: Request): Promise<Response> {
    const { moments, schedule, judge, inWords } = this.#stage
    this.requests += 1
    if (this.requests > MOST_REQUESTS) judge.violated('It never stops asking.')
    const { outMs, backMs } = this.#travel()
    const words = inWords ? this.#wordsOf(request) : ''
    const exchange = { life, request, begunAt: moments.next(), words, fate: this.#fate(), backMs }
    life.tell(() => `asks ${words}`)
    return new Promise((resolve, reject) => {
      schedule.after(outMs, () => schedule.hold(this.#arrive(exchange, resolve, reject)), life)
    })
  }

  async #arrive(
    exchange: Exchange,
    resolve: (response: Response) => void,
    reject: (error: Error) => void,
  ): Promise<void> {
    const { schedule } = this.#stage
    const { fate, life, backMs, words, begunAt } = exchange
    const back = (arrive: () => void) => schedule.after(backMs, arrive, life)
    if (fate === 'never answered') return
    const isAsked = fate !== 'refused' && fate !== 'denied' && fate !== 'reset before'
    const answer = isAsked ? await this.#ask(exchange) : madeUp(fate, this.#stage)
    const noteId = noteIdIn(answer)
    if (noteId !== undefined && this.#stage.strikes('meddling')) this.#meddle(noteId, backMs + MEDDLING_LASTS_MS)
    if (isAsked) life.tell(() => `is answered ${wordsFor(answer)} to ${words}, in ${backMs} ms`)
    back(() => {
      if (fate === 'reset before' || fate === 'reset after') {
        life.tell(() => `loses its connection for ${words}`)
        reject(connectionReset())
        return
      }
      life.tell(() => `has ${fate === 'answered' ? '' : `${fate} `}${answer.status} to ${words}`)
      // A refusal needs no body to be understood.
      if (fate === 'answered' || answer.status === 404) this.#stage.judge.answered(answer, begunAt)
      resolve(answerOf(answer, fate === 'truncated'))
    })
  }

  /** What the service says now. */
  async #ask({ request, life }: Exchange): Promise<Answer> {
    const { world, moments } = this.#stage
    await world.catchUp()
    const service = await this.#serverOf(life)
    const response = await service.fetch(request)
    const text = await response.text()
    const url = new URL(request.url)
    const answer = { url, status: response.status, headers: response.headers, text, madeAt: moments.next() }
    if (response.status === 200 && isListing(url)) {
      const mayBeEmpty = !url.searchParams.has('cursor') && !life.readsFromList()
      if (mayBeEmpty && this.#stage.strikes('emptyList')) return withoutNotes(answer)
      if (!this.#stage.circumstances.areTombstonesListed) return this.#stale.instead(withoutTombstones(answer))
    }
    return this.#stale.instead(answer)
  }

  /** The service itself, or one of its replicas as it is by now. */
  async #serverOf(life: Life): Promise<NotesService> {
    const { world, random, schedule } = this.#stage
    if (world.restored !== undefined) {
      await world.restored.catchUp(schedule.now)
      return world.restored.service
    }
    const [first, ...others] = world.replicas
    if (first === undefined || !this.#stage.strikes('laggingAnswer')) return world.service
    const replica = random.pick([first, ...others])
    await replica.catchUp(schedule.now)
    life.tell(() => `asks a replica that lags by ${replica.lagMs} ms`)
    return replica.service
  }

  #travel(): { readonly outMs: number; readonly backMs: number } {
    const { random } = this.#stage
    if (!this.#stage.strikes('slowAnswer')) return { outMs: random.pick(QUICK_MS), backMs: random.pick(QUICK_MS) }
    const slowMs = random.integer(20, random.pick([60, 400, 4_000, 9_900, 30_000]))
    const outMs = random.pick([0, slowMs, random.integer(0, slowMs)])
    return { outMs, backMs: slowMs - outMs }
  }

  #fate(): Fate {
    const { schedule, random } = this.#stage
    const strikes = (fault: Parameters<Stage['strikes']>[0]) => this.#stage.strikes(fault)
    if (strikes('denial')) this.#deniedUntil = schedule.now + random.pick([0, 100, 60_000])
    if (schedule.now <= this.#deniedUntil && !this.#stage.faultsAreOver) return 'denied'
    if (strikes('refusal')) return 'refused'
    if (strikes('reset')) return random.pick(['reset before', 'reset after'])
    if (strikes('silence')) return 'never answered'
    return strikes('truncation') ? 'truncated' : 'answered'
  }

  #wordsOf({ url }: Request): string {
    const { pathname, searchParams } = new URL(url)
    const path = pathname
      .replace('/v1/notes', 'notes')
      .replace(/note_\w+/, (noteId) => this.#stage.world.find(noteId)?.name.replace(' ', '-') ?? noteId)
    const query = [...searchParams].map(([name, value]) => `${name}=${value}`).join(' ')
    return `${path}${query === '' ? '' : ` (${query})`}`
  }
}

const QUICK_MS: Parameters<Random['pick']>[0] & readonly [number, ...number[]] = [1, 1, 2, 3, 8, 20]

const MEDDLING_LASTS_MS = 30

/** A note that an answer tells of: any of those on a page. */
function noteIdIn({ url, text }: Answer): string | undefined {
  return (/note_\w+/.exec(url.pathname) ?? /note_\w{8,}/.exec(text))?.[0]
}

function isListing({ pathname }: URL): boolean {
  return pathname.endsWith('/notes')
}

function wordsFor({ status, text }: Answer): string {
  return `${status} ${text.length > 160 ? `${text.slice(0, 160)}…` : text}`
}

function connectionReset(): Error {
  return new TypeError('fetch failed', {
    cause: Object.assign(new Error('the connection was reset'), { code: 'ECONNRESET' }),
  })
}
