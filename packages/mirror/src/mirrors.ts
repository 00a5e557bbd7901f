import { OptionError, refuseUnknownOptions } from '@notewire/protocol'
import type { ReceiverOfMany } from '@notewire/webhooks'
import { once } from './concurrency/once.ts'
import { requireCount, requireIntegration, requireSignal } from './context/mirror-options.ts'
import { IntegrationRemovedError } from './interfaces/errors.ts'
import type { IntegrationState } from './interfaces/integration-store.ts'
import { type AuditNotice, audit, callHook } from './interfaces/mirror-hooks.ts'
import { addIntegration, workAtOnce } from './many/adding.ts'
import { connect, engineOf, hooksOf } from './many/connection.ts'
import { dispatch, workLeft } from './many/dispatch.ts'
import { type IntegrationMirror, openIntegration, recordOf } from './many/integration-mirror.ts'
import {
  type IntegrationStatus,
  type MirrorsStatus,
  mirrorsStatusOf,
  statusOfIntegration,
} from './many/integration-status.ts'
import { claimKey } from './many/key-claim.ts'
import { fencedStore } from './many/lease.ts'
import { LocalChanges } from './many/local-changes.ts'
import {
  type AddOptions,
  type MirrorsOptions,
  type MirrorsReceiverOptions,
  requireFunction,
  requireUrl,
  resolveMirrorsOptions,
  type WorkOptions,
  type WorkReport,
} from './many/mirrors-options.ts'
import { receiverOf } from './many/receiving.ts'
import { SharedPauses } from './many/shared-pauses.ts'

/** Mirrors of many integrations in one store: each a local copy of all notes that its API key can see. */
export interface Mirrors<Transaction = never> {
  /**
   * Adds an integration, due at once, and registers its webhook endpoint: creates it, or finds the one of this URL and repairs it. Call it
   * again after any failure, or to repair the endpoint: it continues where it stopped. A parked integration tries its key again. After
   * `remove` it makes another copy.
   *
   * @throws NotesClientError when the endpoint cannot be registered, or the key is still refused; the integration is added nevertheless
   * @throws KeySharedError, KeyChangedError  likewise
   * @throws IntegrationBusyError when another worker has had the integration for 30 s
   */
  add(integration: string, options?: AddOptions): Promise<IntegrationStatus>
  /**
   * Removes an integration: nothing of it can be read once this resolves. `work` and `run` erase its notes. Its consumers get a removal of
   * each note; the ids of the notes are kept until they have, for seven days at most. `false` if there is no such integration.
   */
  remove(integration: string): Promise<boolean>
  /**
   * Lets a parked integration work again.
   *
   * @param options  `adoptKey`: the key that `connect` returns replaces the one that the notes were listed with. It must see the same notes.
   * @throws IntegrationRemovedError when there is no such integration
   * @throws KeySharedError when another integration uses the key to adopt; nothing is changed
   */
  resume(integration: string, options?: { readonly adoptKey?: boolean | undefined }): Promise<IntegrationStatus>
  /**
   * Returns the mirror of an integration. What it reads belongs to one copy: when the integration is removed, every method rejects with
   * `IntegrationRemovedError`, also after it was added again.
   */
  of(integration: string): IntegrationMirror<Transaction>
  /** Does what is due, within a budget: for crons, alarms and jobs. Any number of processes may call it at once. */
  work(options: WorkOptions): Promise<WorkReport>
  /**
   * Keeps all mirrors up to date until the signal fires. Any number of processes may run at once.
   *
   * @param options  `concurrency`: how many integrations are worked on at once, 16 unless you say otherwise. A quarter of them waits for hints.
   */
  run(options: { readonly signal: AbortSignal; readonly concurrency?: number | undefined }): Promise<void>
  /**
   * Makes the receiver of the events of all integrations, to be mounted by any adapter with the id in its route. It verifies each delivery
   * with the secret of its integration, writes the event down as a hint, and answers 204; 404 for integrations that were not added.
   */
  receiver(options: MirrorsReceiverOptions): ReceiverOfMany
  /** Reads the state of one integration; `undefined` if there is none. It reads no notes. */
  get(integration: string): Promise<IntegrationStatus | undefined>
  /** Lists integrations by id, 100 unless you say otherwise. */
  list(options?: {
    readonly state?: IntegrationState | undefined
    readonly after?: string | undefined
    readonly limit?: number | undefined
  }): Promise<readonly IntegrationStatus[]>
  /** Counts integrations: due, backing off, parked and why; and contradictions. It reads one small table and an index. */
  status(): Promise<MirrorsStatus>
}

/**
 * Makes mirrors of many integrations, one for each customer's API key.
 *
 * @throws OptionError naming the option that cannot work, and the fix
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
  const given = resolveMirrorsOptions(options)
  const changes = new LocalChanges()
  const settings = { ...given, store: changes.watch(given.store) }
  const { store, clock, hooks } = settings
  const { integrations } = store
  const pauses = new SharedPauses()
  const onHint = new Set<() => void>()
  const receivers = new Set<ReceiverOfMany>()
  const open = once(() => store.migrate())
  const never = new AbortController().signal

  const forgetSecret = (integration: string) => {
    for (const receiver of receivers) receiver.forgetSecret(integration)
  }

  async function tellAudit(act: Exclude<AuditNotice['act'], 'acceptRemovals'>, integration: string): Promise<void> {
    await audit(hooksOf(integration, hooks), { act, integration, at: new Date(clock.now()) })
  }

  return {
    async add(integration, addOptions = {}) {
      refuseUnknownOptions('mirrors.add', addOptions, ['endpoint', 'saveSecret'])
      const { endpoint: url, saveSecret } = addOptions
      requireIntegration(integration)
      if (url !== undefined) {
        requireUrl('endpoint', url)
        requireFunction('saveSecret', saveSecret, 'Pass a function that stores the signing secret.')
      }
      await open()
      const registration = url !== undefined && saveSecret !== undefined ? { url, saveSecret } : undefined
      const { parkedBecause } = await addIntegration(integration, registration !== undefined, settings)
      await tellAudit('add', integration)
      if (registration !== undefined || parkedBecause !== null) {
        await workAtOnce(integration, { registration, parkedBecause }, settings)
      }
      forgetSecret(integration)
      return statusOfIntegration(await recordOf(store, integration))
    },

    async remove(integration) {
      await open()
      const isRemoved = await integrations.remove(requireIntegration(integration), crypto.randomUUID(), clock.now())
      forgetSecret(integration)
      if (isRemoved) await tellAudit('remove', integration)
      return isRemoved
    },

    async resume(integration, resumeOptions = {}) {
      refuseUnknownOptions('mirrors.resume', resumeOptions, ['adoptKey'])
      const { adoptKey = false } = resumeOptions
      await open()
      const { generation } = await recordOf(store, requireIntegration(integration))
      if (adoptKey) {
        const connection = await connect(integration, settings)
        // The fence of a claim is lost if a worker takes the integration meanwhile.
        while (!(await claimKey(await recordOf(store, integration), connection, settings)));
        const fenced = fencedStore(store, { generation }, () => new IntegrationRemovedError(integration))
        await engineOf(connection, integration, fenced, settings).adoptKey()
      }
      if (await integrations.resume(integration, clock.now())) await tellAudit('resume', integration)
      return statusOfIntegration(await recordOf(store, integration))
    },

    of: (integration) =>
      openIntegration(requireIntegration(integration), settings, changes, async () => {
        await open()
        return options.store
      }),

    async work(workOptions) {
      refuseUnknownOptions('mirrors.work', workOptions, ['budgetMs', 'signal', 'integration'])
      const { budgetMs, signal = never, integration } = workOptions
      if (!(typeof budgetMs === 'number' && budgetMs > 0))
        throw new OptionError('budgetMs', 'budgetMs is not a duration. Pass a number of milliseconds.')
      await open()
      const failures: unknown[] = []
      const onError = (error: unknown) => void failures.push(error)
      const endAt = clock.now() + budgetMs
      const concurrency = integration === undefined ? WORKERS_OF_A_CALL : 1
      await dispatch({ settings, pauses, signal, concurrency, onHint, endAt, integration, onError })
      if (failures.length > 0) throw failures[0]
      return await workLeft(integrations, integration, clock.now())
    },

    async run(runOptions) {
      refuseUnknownOptions('mirrors.run', runOptions, ['signal', 'concurrency'])
      const signal = requireSignal('mirrors.run', runOptions.signal)
      const concurrency = requireCount('concurrency', runOptions.concurrency ?? 16)
      await open()
      const onError = (error: unknown) => callHook(hooks.onProblem, { error, integration: undefined })
      await dispatch({ settings, pauses, signal, concurrency, onHint, onError })
    },

    receiver(receiverOptions) {
      const receiver = receiverOf(receiverOptions, settings, open, () => {
        for (const heard of onHint) heard()
      })
      receivers.add(receiver)
      return receiver
    },

    async get(integration) {
      await open()
      const record = await integrations.get(requireIntegration(integration))
      return record === undefined || record.state === 'removing' ? undefined : statusOfIntegration(record)
    },

    async list(listOptions = {}) {
      refuseUnknownOptions('mirrors.list', listOptions, ['state', 'after', 'limit'])
      const { state, after = '', limit = 100 } = listOptions
      requireCount('limit', limit)
      await open()
      return (await integrations.list({ state, after, limit })).map(statusOfIntegration)
    },

    async status() {
      await open()
      const now = clock.now()
      return mirrorsStatusOf(await integrations.count(now), now)
    },
  }
}

/** How many integrations one call of `work` works on at once. */
const WORKERS_OF_A_CALL = 4
