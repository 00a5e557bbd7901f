import {
  monotonicNow,
  OptionError,
  refuseNoSignal,
  refuseSurplusOptions,
  refuseUnknownOptions,
} from '@notewire/protocol'
import type { Receivers } from '@notewire/webhooks'
import { once } from './concurrency/calls.ts'
import { addIntegration, workAtOnce } from './engine/adding.ts'
import { adoptKey as adoptKeyOf } from './engine/adopting.ts'
import { ClockConflicts } from './engine/clock-conflicts.ts'
import { hooksOf } from './engine/connection.ts'
import { recordOf } from './engine/copy-of-one.ts'
import { dispatch, workLeft } from './engine/dispatch.ts'
import { openIntegration } from './engine/integration-mirror.ts'
import {
  type IntegrationStatus,
  type MirrorsStatus,
  mirrorsStatusOf,
  statusOfIntegration,
} from './engine/integration-status.ts'
import type { Mirror } from './engine/mirror-type.ts'
import {
  type AddOptions,
  type MirrorsOptions,
  type MirrorsReceiversOptions,
  requireUrl,
  type WorkOptions,
  type WorkReport,
} from './engine/mirrors-options.ts'
import { openRepeatedly } from './engine/opening.ts'
import { receiverOf } from './engine/receiving.ts'
import { resolveMirrorsOptions } from './engine/resolve-options.ts'
import { SharedPauses } from './engine/shared-pauses.ts'
import { IntegrationRemovedError } from './errors.ts'
import { type AuditNotice, audit, callHook } from './hooks.ts'
import type { IntegrationState, ListedIntegration } from './integrations/integration-store.ts'
import { requireCount, requireFunction, requireIntegration, requireSignal } from './options.ts'
import { StoreOutage } from './reporting/store-outage.ts'
import type { MirrorStore } from './stores/mirror-store.ts'

/** Mirrors of many integrations in one store. Each is a local copy of all notes that its API key can see. */
export interface Mirrors<Transaction = never> {
  /**
   * Adds an integration, which is due at once, and registers its webhook endpoint: creates it, or repairs the one with this URL. Call it
   * again after any failure, or to repair the endpoint: it continues where it stopped. It also retries the key of a parked integration.
   * After `remove`, it makes another copy.
   *
   * @throws NotesClientError when the endpoint cannot be registered, or the key is still refused; the integration is added nevertheless
   * @throws KeySharedError, KeyChangedError  likewise
   * @throws IntegrationBusyError when another worker has held the lease of the integration for 30 s
   */
  add(integration: string, options?: AddOptions): Promise<IntegrationStatus>
  /**
   * Removes an integration: its notes cannot be read once this resolves. `work` and `run` erase them. Each consumer gets a removal of each
   * note; until then the ids of the notes are kept, for seven days at most. Returns `false` if the integration does not exist.
   */
  remove(integration: string): Promise<boolean>
  /**
   * Makes a parked integration active again.
   *
   * @param options  `adoptKey`: replaces the key that the notes were listed with by the key that `connect` returns, which must see the same notes
   * @throws IntegrationRemovedError when the integration does not exist
   * @throws KeySharedError when another integration uses the key to adopt; nothing is changed
   */
  resume(integration: string, options?: { readonly adoptKey?: boolean | undefined }): Promise<IntegrationStatus>
  /**
   * Returns the mirror of an integration. It reads one copy: after the integration was removed, every method rejects with
   * `IntegrationRemovedError`, even if the integration was added again.
   */
  of(integration: string): Mirror<Transaction>
  /**
   * Asks for a full listing of an integration, as `mirror.sync({ fullListing: 'now' })` does for one mirror: it finds unannounced deletions and lost
   * access. The request is stored, and the integration is due now: the next `work` or `run` of any process does the full listing, after a pause, and
   * after a parked integration is active again. If a full listing is under way, another one follows it. To call this again before the full listing
   * begins has no effect. `mirrors.of(integration).status()` shows the full listing in `fullListing`, and at its end in `lastFullListing`.
   *
   * @throws IntegrationRemovedError when the integration does not exist
   */
  requestFullListing(integration: string): Promise<IntegrationStatus>
  /** Does due work within a time budget: for cron jobs, alarms and queues. Any number of processes may call it concurrently. */
  work(options: WorkOptions): Promise<WorkReport>
  /**
   * Keeps all mirrors up to date until the signal fires. Any number of processes may run concurrently. If the store fails, also at the start, `run`
   * logs this and tries again.
   *
   * @param options  `concurrency`: the maximum number of integrations that are worked on concurrently, 16 by default. A quarter is reserved for
   * hints.
   */
  run(options: { readonly signal: AbortSignal; readonly concurrency?: number | undefined }): Promise<void>
  /**
   * Makes the receivers of the events of all integrations, for any adapter with the id in its route. It verifies each delivery with the secret
   * of its integration, stores the event as a hint, and answers 204, or 404 for an integration that was not added.
   */
  receivers(options: MirrorsReceiversOptions): Receivers
  /** Reads the state of one integration; `undefined` if it does not exist. Reads no notes. */
  get(integration: string): Promise<IntegrationStatus | undefined>
  /** Lists integrations by id, 100 by default. With `hasHeldRemovals`, only those in which a full listing holds removals back. */
  list(options?: {
    readonly state?: IntegrationState | undefined
    readonly hasHeldRemovals?: boolean | undefined
    readonly after?: string | undefined
    readonly limit?: number | undefined
  }): Promise<readonly IntegrationStatus[]>
  /**
   * Counts integrations: due, backing off, parked by reason, with held removals, and not brought up to date by the code of the problem; endpoints that
   * are not active, by status; and contradictions. Lists the services that this process has paused, and shows whether the store fails in its `run`.
   * Reads one small table and two indexes.
   */
  status(): Promise<MirrorsStatus>
}

/**
 * Makes mirrors of many integrations, one for each customer's API key.
 *
 * @throws OptionError with the invalid option, and the fix
 * @example
 * ```ts
 * import { createMirrors } from '@notewire/mirror'
 * import { sqliteMirror } from '@notewire/mirror/sqlite'
 *
 * const keys = new Map([['acme', 'ntw_live_k7.s3cret']])
 * const mirrors = createMirrors({
 *   store: sqliteMirror('notes.db'),
 *   connect: (integration) => ({ baseUrl: 'https://notes.example', apiKey: keys.get(integration) ?? '' }),
 * })
 * await mirrors.add('acme')
 * await mirrors.work({ budgetMs: 5_000 })
 * for await (const { note } of mirrors.of('acme').list()) console.log(note.title)
 * ```
 */
export function createMirrors<Transaction = never>(options: MirrorsOptions<Transaction>): Mirrors<Transaction> {
  const settings = resolveMirrorsOptions(options)
  const { store, integrations, clock, hooks } = settings
  const pauses = new SharedPauses()
  const conflicts = new ClockConflicts()
  const receivers = new Set<Receivers>()
  /** Set while `run` runs. */
  let outage: StoreOutage | undefined
  const open = once(() => store.migrate())
  const never = new AbortController().signal

  const forgetSecret = (integration: string) => {
    for (const receiver of receivers) receiver.forgetSecret(integration)
  }

  async function reportAudit(act: Exclude<AuditNotice['act'], 'acceptRemovals'>, integration: string): Promise<void> {
    await audit(hooksOf(integration, settings), { act, integration, at: new Date(clock.now()) })
  }

  return {
    async add(integration, addOptions = {}) {
      refuseUnknownOptions('mirrors.add', addOptions, { endpoint: true, saveSecret: true })
      const { endpoint: url, saveSecret } = addOptions
      requireIntegration(integration)
      if (url !== undefined) {
        requireUrl('endpoint', url)
        requireFunction('saveSecret', saveSecret, 'Pass a function that stores the signing secret.')
      }
      await open()
      const registration = url !== undefined && saveSecret !== undefined ? { url, saveSecret } : undefined
      const { parkedBecause } = await addIntegration(integration, registration !== undefined, settings)
      await reportAudit('add', integration)
      if (registration !== undefined || parkedBecause !== null) {
        await workAtOnce(integration, { registration, parkedBecause }, settings)
      }
      forgetSecret(integration)
      return statusOfIntegration(await listedIn(store, integration), clock.now())
    },

    async remove(integration, ...surplus) {
      refuseSurplusOptions('mirrors.remove', surplus)
      await open()
      const isKnown = (await integrations.get(requireIntegration(integration))) !== undefined
      const isRemoved = isKnown && (await integrations.remove(integration, crypto.randomUUID(), clock.now()))
      forgetSecret(integration)
      if (isRemoved) await reportAudit('remove', integration)
      return isRemoved
    },

    async resume(integration, resumeOptions = {}) {
      refuseUnknownOptions('mirrors.resume', resumeOptions, { adoptKey: true })
      const { adoptKey = false } = resumeOptions
      await open()
      const { generation } = await recordOf(integrations, requireIntegration(integration))
      if (adoptKey) await adoptKeyOf(integration, generation, settings)
      if (await integrations.resume(integration, clock.now())) await reportAudit('resume', integration)
      return statusOfIntegration(await listedIn(store, integration), clock.now())
    },

    async requestFullListing(integration, ...surplus) {
      refuseSurplusOptions('mirrors.requestFullListing', surplus)
      await open()
      await recordOf(integrations, requireIntegration(integration))
      await integrations.ask(integration, ['full-listing'], clock.now())
      return statusOfIntegration(await listedIn(store, integration), clock.now())
    },

    of: (integration) =>
      openIntegration(requireIntegration(integration), settings, async () => {
        await open()
        return options.store
      }),

    async work(workOptions) {
      refuseUnknownOptions('mirrors.work', workOptions, { budgetMs: true, signal: true, integration: true })
      refuseNoSignal(workOptions.signal)
      const { budgetMs, signal = never, integration } = workOptions
      if (!(typeof budgetMs === 'number' && budgetMs > 0))
        throw new OptionError('budgetMs', 'budgetMs is not a duration. Pass a number of milliseconds.')
      await open()
      const failures: unknown[] = []
      const onError = (error: unknown) => void failures.push(error)
      const endAt = monotonicNow(clock) + budgetMs
      const concurrency = integration === undefined ? WORK_CONCURRENCY : 1
      const parts = { settings, pauses, conflicts, signal, concurrency, endAt, integration, onError }
      await settings.log.duringRun(() => dispatch(parts)).finally(() => settings.log.writeDue(0))
      if (failures.length > 0) throw failures[0]
      return await workLeft(settings, integration)
    },

    async run(runOptions) {
      refuseUnknownOptions('mirrors.run', runOptions, { signal: true, concurrency: true })
      const signal = requireSignal('mirrors.run', runOptions.signal)
      const concurrency = requireCount('concurrency', runOptions.concurrency ?? 16)
      const onError = (error: unknown) => callHook(hooks.onProblem, { error, integration: undefined })
      outage = new StoreOutage(settings)
      const parts = { settings, pauses, conflicts, signal, concurrency, onError, outage }
      try {
        await openRepeatedly(open, { signal, clock, outage, onError })
        await settings.log.duringRun(() => dispatch(parts))
      } finally {
        outage = undefined
        settings.log.writeAll()
      }
    },

    receivers(receiverOptions) {
      const receiver = receiverOf(receiverOptions, settings, open)
      receivers.add(receiver)
      return receiver
    },

    async get(integration, ...surplus) {
      refuseSurplusOptions('mirrors.get', surplus)
      await open()
      const [listed] = await store.integrations.list({
        integration: requireIntegration(integration),
        after: '',
        limit: 1,
      })
      return listed === undefined || listed.record.isSingle || listed.record.state === 'removing'
        ? undefined
        : statusOfIntegration(listed, clock.now())
    },

    async list(listOptions = {}) {
      refuseUnknownOptions('mirrors.list', listOptions, {
        state: true,
        hasHeldRemovals: true,
        after: true,
        limit: true,
      })
      const { after = '', limit = 100, ...which } = listOptions
      requireCount('limit', limit)
      await open()
      return (await store.integrations.list({ ...which, after, limit })).map((listed) =>
        statusOfIntegration(listed, clock.now()),
      )
    },

    async status(...surplus) {
      refuseSurplusOptions('mirrors.status', surplus)
      await open()
      const now = clock.now()
      const pausedServices = pauses
        .list(monotonicNow(clock))
        .map(({ baseUrl, remainingMs }) => ({ baseUrl, until: new Date(now + remainingMs) }))
      const ofProcess = { pausedServices, problem: outage?.problem ?? null }
      return mirrorsStatusOf(await store.integrations.count(now), ofProcess, now)
    },
  }
}

/** @throws IntegrationRemovedError */
async function listedIn({ integrations }: MirrorStore, integration: string): Promise<ListedIntegration> {
  const [listed] = await integrations.list({ integration, after: '', limit: 1 })
  if (listed === undefined || listed.record.isSingle || listed.record.state === 'removing')
    throw new IntegrationRemovedError(integration)
  return listed
}

/** The maximum number of integrations that one call of `work` works on concurrently. */
const WORK_CONCURRENCY = 4
