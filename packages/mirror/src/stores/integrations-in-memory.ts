import type { Fence, IntegrationCounts, IntegrationRecord, IntegrationStore } from '../interfaces/integration-store.ts'
import { dueAfterHint, isTooFarAhead, newIntegration, RANKS } from '../interfaces/integration-store.ts'
import { ERASE_WITHIN_MS } from '../interfaces/note-state.ts'
import type { CopyState } from '../interfaces/progress.ts'

interface Row extends IntegrationRecord {
  readonly isHeld: boolean
}

/** The copies of a `memoryMirror`. */
export interface CopiesInMemory {
  read(integration: string): CopyState
  consumers(integration: string): readonly string[]
  countContradicted(integration: string): number
  countHeld(integration: string): number
  /** Erases at most `limit` notes, and returns whether all are erased. */
  erase(integration: string, limit: number): boolean
}

/** The integrations of a `memoryMirror`. */
export class IntegrationsInMemory implements IntegrationStore {
  readonly #rows = new Map<string, Row>()
  readonly #copies: CopiesInMemory

  constructor(copies: CopiesInMemory) {
    this.#copies = copies
  }

  isFenced(integration: string, { generation, token }: Fence): boolean {
    const row = this.#rows.get(integration)
    return row?.generation !== generation || (token !== undefined && token !== row.token)
  }

  /** Makes an integration due because of a hint. */
  wakeByHint(integration: string, dueAt: number): void {
    const row = this.#rows.get(integration)
    if (row === undefined) return
    const hints = row.hints + 1
    if (row.isHeld) this.#rows.set(integration, { ...row, hints })
    else if (row.state === 'parked')
      this.#rows.set(integration, { ...row, hints, dueAt: earlier(row.dueAt, dueAt + ERASE_WITHIN_MS) })
    else
      this.#rows.set(integration, {
        ...row,
        hints,
        rank: RANKS.hint,
        dueAt: earlier(row.dueAt, Math.max(dueAt, row.pausedUntil ?? 0)),
      })
  }

  async put(integration: string, generation: string, now: number, delayMs = 0) {
    const known = this.#rows.get(integration)
    const isNextCopy = known?.state === 'removing' && known.pausedUntil !== null
    const fresh = { ...newIntegration(integration, generation, now + delayMs), isHeld: false, token: known?.token ?? 0 }
    const row = known === undefined || isNextCopy ? fresh : known
    this.#rows.set(integration, row)
    return recordOf(row)
  }

  async get(integration: string) {
    const row = this.#rows.get(integration)
    return row && recordOf(row)
  }

  async take({ now, until, most, integration }: Parameters<IntegrationStore['take']>[0]) {
    const isWanted = (row: Row) => integration === undefined || row.integration === integration
    const [row] = [...this.#rows.values()]
      .filter((row) => isWanted(row) && row.rank <= most && (isDue(row, now) || isLeaseTooLong(row, now, until)))
      .sort((one, other) => one.rank - other.rank || (one.dueAt ?? 0) - (other.dueAt ?? 0))
    if (row === undefined) return undefined
    const taken = { ...row, token: row.token + 1, isHeld: true, dueAt: until }
    this.#rows.set(row.integration, taken)
    return { record: recordOf(taken), copy: this.#copies.read(row.integration) }
  }

  async renew(integration: string, fence: Fence, { until }: Parameters<IntegrationStore['renew']>[2]) {
    return this.#change(integration, fence, (row) => ({ ...row, dueAt: until }))
  }

  async finish(...[integration, fence, next, { hints, now }]: Parameters<IntegrationStore['finish']>) {
    return this.#change(integration, fence, (row) => {
      const { state, parkedBecause, dueAt, rank, failures, pausedUntil, pollEveryMs, endpoint } = next
      const work = { state, parkedBecause, dueAt, rank, failures, pausedUntil, pollEveryMs, endpoint }
      const after = { ...row, ...work, isHeld: false }
      return row.hints === hints ? after : { ...after, rank: RANKS.hint, dueAt: dueAfterHint(next, now) }
    })
  }

  async wake(integration: string, now: number) {
    const row = this.#rows.get(integration)
    if (row?.state !== 'active') return
    const woken = { ...row, hints: row.hints + 1, failures: 0, pausedUntil: null }
    this.#rows.set(integration, row.isHeld ? woken : { ...woken, dueAt: earlier(row.dueAt, now) })
  }

  async claimKey(integration: string, fence: Fence, keyPrint: string) {
    if (this.isFenced(integration, fence)) return 'fenced'
    const isUsed = [...this.#rows.values()].some((row) => row.keyPrint === keyPrint && row.integration !== integration)
    if (isUsed) return 'shared'
    this.#change(integration, fence, (row) => ({ ...row, keyPrint }))
    return 'claimed'
  }

  async resume(integration: string, now: number) {
    const row = this.#rows.get(integration)
    if (row?.state !== 'parked') return false
    const resumed = { state: 'active', parkedBecause: null, dueAt: now, failures: 0, pausedUntil: null } as const
    this.#rows.set(integration, { ...row, ...resumed, token: row.token + 1, isHeld: false })
    return true
  }

  async remove(integration: string, generation: string, now: number) {
    const row = this.#rows.get(integration)
    if (row === undefined) return false
    if (row.state === 'removing') return true
    const { token } = row
    this.#rows.set(integration, {
      ...newIntegration(integration, generation, now),
      token,
      state: 'removing',
      isHeld: false,
    })
    return true
  }

  async listConsumers(integration: string) {
    return this.#copies.consumers(integration)
  }

  async erase(integration: string, fence: Fence, limit: number) {
    if (this.isFenced(integration, fence) || this.#rows.get(integration)?.state !== 'removing') return 'fenced'
    if (!this.#copies.erase(integration, limit)) return 'more'
    this.#rows.delete(integration)
    return 'done'
  }

  async list({ state, hasHeldRemovals = false, after, limit }: Parameters<IntegrationStore['list']>[0]) {
    return [...this.#rows.values()]
      .filter((row) => row.integration > after && (state === undefined || row.state === state))
      .map((row) => ({ record: recordOf(row), heldRemovals: this.#copies.countHeld(row.integration) }))
      .filter(({ heldRemovals }) => !hasHeldRemovals || heldRemovals > 0)
      .sort((one, other) => (one.record.integration < other.record.integration ? -1 : 1))
      .slice(0, limit)
  }

  async count(now: number): Promise<IntegrationCounts> {
    const rows = [...this.#rows.values()]
    const having = (is: (row: Row) => boolean) => rows.filter(is).length
    const times = rows.flatMap(({ dueAt }) => dueAt ?? []).sort((one, other) => one - other)
    const isLater = (time: number) => time > now && !isTooFarAhead(time, now)
    const parkedFor = (reason: string) => having(({ parkedBecause }) => parkedBecause === reason)
    return {
      active: having(({ state }) => state === 'active'),
      removing: having(({ state }) => state === 'removing'),
      parked: {
        key_changed: parkedFor('key_changed'),
        key_shared: parkedFor('key_shared'),
        key_refused: parkedFor('key_refused'),
      },
      due: having((row) => isDue(row, now)),
      dueSince: times.find((time) => time <= now) ?? null,
      nextAt: times.find(isLater) ?? null,
      backingOff: having(({ state, failures }) => state === 'active' && failures > 0),
      contradictions: rows.reduce((sum, { integration }) => sum + this.#copies.countContradicted(integration), 0),
      heldRemovals: having(({ integration }) => this.#copies.countHeld(integration) > 0),
    }
  }

  #change(integration: string, fence: Fence, change: (row: Row) => Row): boolean {
    const row = this.#rows.get(integration)
    if (row === undefined || this.isFenced(integration, fence)) return false
    this.#rows.set(integration, change(row))
    return true
  }
}

function isDue({ dueAt }: Row, now: number): boolean {
  return dueAt !== null && (dueAt <= now || isTooFarAhead(dueAt, now))
}

function isLeaseTooLong({ isHeld, dueAt }: Row, now: number, until: number): boolean {
  return isHeld && dueAt !== null && dueAt - now > 2 * (until - now)
}

function recordOf({ isHeld: _, ...record }: Row): IntegrationRecord {
  return record
}

function earlier(one: number | null, other: number): number {
  return Math.min(one ?? other, other)
}
