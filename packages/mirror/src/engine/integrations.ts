import { MirrorBusyError } from '../errors.ts'
import type { Fence, IntegrationRecord, IntegrationRows, NextWork } from '../integrations/integration-store.ts'
import type { StoredProblem } from '../integrations/problem.ts'
import type { ProblemStep } from '../rules/problem-rule.ts'
import {
  type Asked,
  added,
  asked,
  finished,
  hurried,
  madeSingle,
  newIntegration,
  removed,
  resumed,
  woken,
} from '../rules/schedule-rule.ts'

/** The maximum number of attempts to write an integration. Each conflict means that another process has written it, or that it got a hint. */
const MAX_ATTEMPTS = 200

/** Decides what to write, given the record that the store contains; the same record, or `undefined`, to write nothing. */
type Decide = (record: IntegrationRecord | undefined) => IntegrationRecord | 'deleted' | undefined

interface Changed {
  readonly outcome: 'unchanged' | 'written' | 'shared' | 'more'
  readonly record: IntegrationRecord | undefined
}

/**
 * Changes integrations. Each change reads an integration, decides, and writes, and begins again if another process has written meanwhile.
 * Changes with a `Fence` write nothing after another worker has taken the integration, or after it was removed.
 */
export class Integrations {
  readonly #rows: IntegrationRows
  readonly #seesSingle: boolean

  /** @param seesSingle  whether the integrations of `createMirror` count, too */
  constructor(rows: IntegrationRows, seesSingle: boolean) {
    this.#rows = rows
    this.#seesSingle = seesSingle
  }

  async get(integration: string): Promise<IntegrationRecord | undefined> {
    const record = await this.#read(integration)
    return record?.isSingle && !this.#seesSingle ? undefined : record
  }

  /** Makes the row of `createMirror` if the integration has none, due at once. */
  async makeSingle(integration: string, generation: string, now: number): Promise<IntegrationRecord> {
    const next = newIntegration(integration, generation, now)
    return (await this.#change(integration, (known) => madeSingle(known, next))).record ?? next
  }

  /** Adds an integration, due after `delayMs`. */
  async put(integration: string, generation: string, now: number, delayMs = 0): Promise<IntegrationRecord> {
    const next = newIntegration(integration, generation, now + delayMs)
    return (await this.#change(integration, (known) => added(known, next))).record ?? next
  }

  async renew(integration: string, fence: Fence, leaseUntil: number): Promise<boolean> {
    const renewed = (record: IntegrationRecord) => ({ ...record, leaseUntil })
    return (await this.#changeFenced(integration, fence, renewed)) !== 'fenced'
  }

  /** Ends the lease of a taken integration and schedules the next work; `false` if the lease is lost, and nothing was written. */
  async finish(taken: IntegrationRecord, next: NextWork, now: number): Promise<boolean> {
    const end = (record: IntegrationRecord) => finished(record, next, { taken, now })
    return (await this.#changeFenced(taken.integration, taken, end, taken)) !== 'fenced'
  }

  /** Ends the lease of the worker that has the integration. @returns the record, with a token that only the caller has; `undefined` if it was removed */
  async interrupt(integration: string, fence: Fence): Promise<IntegrationRecord | undefined> {
    const { record } = await this.#change(integration, (known) => {
      if (known === undefined || isFenced(known, fence)) return known
      return { ...known, token: known.token + 1, leaseUntil: null }
    })
    return record === undefined || isFenced(record, fence) ? undefined : record
  }

  /** Makes an active integration due now and ends its pause. */
  async wake(integration: string, now: number): Promise<void> {
    await this.#change(integration, (record) => record && woken(record, now))
  }

  /** Makes an active integration due now, or after its pause. */
  async hurry(integration: string, now: number): Promise<void> {
    await this.#change(integration, (record) => record && hurried(record, now))
  }

  /** Asks the next worker of an integration for a poll or a full listing. */
  async ask(integration: string, what: readonly Asked[], now: number): Promise<void> {
    await this.#change(integration, (record) => record && asked(record, what, now))
  }

  /** Replaces the problem of an integration, if it is another one. */
  async report(integration: string, problemAfter: (known: StoredProblem | undefined) => ProblemStep): Promise<void> {
    await this.#change(integration, (record) => {
      const step = record && problemAfter(record.problem)
      return record && step?.isChanged ? { ...record, problem: step.problem } : record
    })
  }

  /** Records the API key that an integration uses; `'shared'` if another integration uses the key. */
  async claimKey(integration: string, fence: Fence, keyPrint: string): Promise<'claimed' | 'shared' | 'fenced'> {
    const outcome = await this.#changeFenced(integration, fence, (record) => ({ ...record, keyPrint }))
    return outcome === 'fenced' || outcome === 'shared' ? outcome : 'claimed'
  }

  /** Makes a parked integration active and due; `false` if it is not parked. */
  async resume(integration: string, now: number): Promise<boolean> {
    return (await this.#change(integration, (record) => record && resumed(record, now))).outcome === 'written'
  }

  /** Begins the removal; `false` if the integration does not exist. */
  async remove(integration: string, generation: string, now: number): Promise<boolean> {
    const { record } = await this.#change(integration, (known) => known && removed(known, generation, now))
    return record !== undefined
  }

  /** Erases some notes of a taken integration that is being removed; `'done'` when everything of it is deleted. */
  async erase(taken: IntegrationRecord): Promise<'more' | 'done' | 'fenced'> {
    const erased = (record: IntegrationRecord) => (record.state === 'removing' ? 'deleted' : record)
    const outcome = await this.#changeFenced(taken.integration, taken, erased, taken)
    if (outcome === 'written') return 'done'
    return outcome === 'more' ? 'more' : 'fenced'
  }

  async #read(integration: string): Promise<IntegrationRecord | undefined> {
    return (await this.#rows.list({ integration, after: '', limit: 1 }))[0]?.record
  }

  async #changeFenced(
    integration: string,
    fence: Fence,
    change: (record: IntegrationRecord) => IntegrationRecord | 'deleted',
    read?: IntegrationRecord,
  ): Promise<Changed['outcome'] | 'fenced'> {
    let isLost = false
    const decide: Decide = (record) => {
      isLost = record === undefined || isFenced(record, fence)
      return record === undefined || isLost ? record : change(record)
    }
    const { outcome } = await this.#change(integration, decide, read)
    return isLost ? 'fenced' : outcome
  }

  /** @param read  the record, if the caller has read it */
  async #change(integration: string, decide: Decide, read?: IntegrationRecord): Promise<Changed> {
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
      const known = attempts === 0 && read !== undefined ? read : await this.#read(integration)
      const next = decide(known)
      if (next === undefined || next === known) return { outcome: 'unchanged', record: known }
      const outcome = await this.#rows.write(next, known)
      if (outcome !== 'conflict') return { outcome, record: next === 'deleted' ? undefined : next }
    }
    throw new MirrorBusyError()
  }
}

function isFenced(record: IntegrationRecord, { generation, token }: Fence): boolean {
  return record.generation !== generation || (token !== undefined && token !== record.token)
}
