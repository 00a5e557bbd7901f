import { type Clock, type Logger, monotonicNow, traceOf, unfailing } from '@notewire/protocol'
import { LINES, type Occurrence } from './lines.ts'

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

interface Group {
  latest: Reported
  integrations: Set<string>
  /** When the first occurrence since the last line was reported, and when that line was written, by the monotonic clock. */
  firstAt: number | undefined
  writtenAt: number | undefined
}

/**
 * Writes what happens to copies to a logger. What happens to many integrations within some seconds is one line with their number. Each kind of
 * line is written once a minute at most. No line contains a key, the message of an error of others, or note content.
 */
export class MirrorLog {
  readonly #logger: Logger
  readonly #clock: Clock
  readonly #collectMs: number
  readonly #groups = new Map<string, Group>()

  /** @param collectMs  how long occurrences of one kind are collected before their line is written, in milliseconds */
  constructor(logger: Logger, clock: Clock, collectMs: number) {
    this.#logger = unfailing(logger)
    this.#clock = clock
    this.#collectMs = collectMs
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
    if (this.#collectMs === 0) this.writeDue()
  }

  /** Writes the lines that are due. Called several times a second while the mirror runs, and with 0 at the end of a call. */
  writeDue(collectMs = this.#collectMs): void {
    const now = monotonicNow(this.#clock)
    for (const group of this.#groups.values()) {
      const { firstAt, writtenAt } = group
      if (firstAt === undefined || now - firstAt < collectMs) continue
      if (writtenAt === undefined || now - writtenAt >= AGAIN_AFTER_MS) this.#write(group)
    }
  }

  /** Writes all lines, at the end of a run. */
  writeAll(): void {
    for (const group of this.#groups.values()) if (group.firstAt !== undefined) this.#write(group)
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
    const trace = latest.error === undefined ? {} : withoutFrames(traceOf(latest.error, 'the work'))
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
}

/** Where an error of the service was thrown inside the client says nothing. */
function withoutFrames({ at: _, ...trace }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return trace
}
