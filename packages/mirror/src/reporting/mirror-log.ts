import { type Clock, type Logger, monotonicNow, NotewireError, traceWithMessage, unfailing } from '@notewire/protocol'
import { LINES, MESSAGES_ARE_LOGGED, type Occurrence } from './lines.ts'

/** The shortest time between two lines of one kind, in milliseconds. */
const AGAIN_AFTER_MS = 60_000

/** How many ids of integrations one line contains. */
const MAX_EXAMPLES = 3

/** The maximum number of kinds that are remembered. Beyond it, the oldest one is written, and forgotten. */
const MAX_GROUPS = 1_000

/** What happened, and what it is about. */
export interface Reported {
  readonly occurrence: Occurrence
  /** The stable code of the problem, or the status of the endpoint. Occurrences with different codes have lines of their own. */
  readonly code: string
  /** Absent for the store of many integrations. */
  readonly integration?: string | undefined
  /** The base URL of the service, if occurrences of several services are to have lines of their own. */
  readonly service?: string | undefined
  readonly error?: unknown
  readonly fields?: Readonly<Record<string, unknown>> | undefined
}

interface LogParts {
  readonly logger: Logger
  /** Whether lines contain the messages of the errors of others. */
  readonly logErrorMessages: boolean
  readonly clock: Clock
  /** How long occurrences of one kind are collected before their line is written, in milliseconds. */
  readonly collectMs: number
}

interface Group {
  latest: Reported
  integrations: Set<string>
  /** When the first occurrence since the last line was reported, and when that line was written, by the monotonic clock. */
  firstAt: number | undefined
  writtenAt: number | undefined
}

/**
 * Writes what happens to copies to a logger. What happens to many integrations within some seconds is one line with their number. Each kind of
 * line is written once a minute at most. No line contains a key or note content, unless the messages of errors are to be logged.
 */
export class MirrorLog {
  readonly #logger: Logger
  readonly #logErrorMessages: boolean
  readonly #clock: Clock
  readonly #collectMs: number
  readonly #groups = new Map<string, Group>()
  /** How many runs of this process write the lines of this log. */
  #runs = 0

  constructor({ logger, logErrorMessages, clock, collectMs }: LogParts) {
    this.#logger = unfailing(logger)
    this.#logErrorMessages = logErrorMessages
    this.#clock = clock
    this.#collectMs = collectMs
    if (logErrorMessages) this.#logger.warn(MESSAGES_ARE_LOGGED)
  }

  report(reported: Reported): void {
    const { occurrence, code, service = '', integration } = reported
    const key = `${occurrence} ${code} ${service}`
    const known = this.#groups.get(key)
    const group = known ?? { latest: reported, integrations: new Set(), firstAt: undefined, writtenAt: undefined }
    group.latest = reported
    if (integration !== undefined) group.integrations.add(integration)
    group.firstAt ??= monotonicNow(this.#clock)
    if (known === undefined) this.#remember(key, group)
    if (integration === undefined) this.#writeIfDue(group, 0)
    else if (this.#collectMs === 0 || this.#runs === 0) this.writeDue(0)
  }

  /** Collects what happens during a run, which calls `writeDue`. Without a run, nothing is collected: no one would write it. */
  async duringRun<Result>(run: () => Promise<Result>): Promise<Result> {
    this.#runs += 1
    try {
      return await run()
    } finally {
      this.#runs -= 1
    }
  }

  /** Writes the lines that are due. Called several times a second while the mirror runs, and with 0 at the end of a call. */
  writeDue(collectMs = this.#collectMs): void {
    for (const group of this.#groups.values()) this.#writeIfDue(group, collectMs)
  }

  /** Writes all lines, at the end of a run. */
  writeAll(): void {
    for (const group of this.#groups.values()) if (group.firstAt !== undefined) this.#write(group)
  }

  #writeIfDue(group: Group, collectMs: number): void {
    const now = monotonicNow(this.#clock)
    const { firstAt, writtenAt } = group
    if (firstAt === undefined || now - firstAt < collectMs) return
    if (writtenAt === undefined || now - writtenAt >= AGAIN_AFTER_MS) this.#write(group)
  }

  #remember(key: string, group: Group): void {
    this.#groups.set(key, group)
    const [oldest] = this.#groups
    if (this.#groups.size <= MAX_GROUPS || oldest === undefined) return
    if (oldest[1].firstAt !== undefined) this.#write(oldest[1])
    this.#groups.delete(oldest[0])
  }

  #write(group: Group): void {
    const { latest, integrations } = group
    const [level, message] = LINES[latest.occurrence]
    const trace = latest.error === undefined ? {} : this.#traceOf(latest.error)
    const about =
      integrations.size < 2
        ? { ...(latest.integration === undefined ? {} : { integration: latest.integration }) }
        : { integrations: integrations.size, examples: [...integrations].slice(0, MAX_EXAMPLES) }
    const service = latest.service === undefined ? {} : { service: latest.service }
    this.#logger[level](message, { ...about, ...service, code: latest.code, ...trace, ...latest.fields })
    group.integrations = new Set()
    group.firstAt = undefined
    group.writtenAt = monotonicNow(this.#clock)
  }

  #traceOf(error: unknown): Readonly<Record<string, unknown>> {
    const { at, ...trace } = traceWithMessage(error, 'the work', this.#logErrorMessages)
    // Where an error of the service was thrown inside the client says nothing.
    return at === undefined || error instanceof NotewireError ? trace : { ...trace, at }
  }
}
