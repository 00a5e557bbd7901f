import type { Fence, IntegrationRecord } from '../interfaces/integration-store.ts'
import type { MirrorStore } from '../interfaces/store.ts'
import type { MirrorsSettings } from './mirrors-options.ts'

/** How long a worker that died keeps an integration, in milliseconds. */
export const LEASE_MS = 60_000

const RENEW_EVERY_MS = LEASE_MS / 3

/**
 * Does work on an integration that was taken, and renews the lease meanwhile.
 *
 * @param work  its signal fires with a `LeaseLostError` when the lease is lost
 */
export async function holding<Result>(
  { integration, generation, token }: IntegrationRecord,
  { store, clock }: MirrorsSettings,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const lost = new AbortController()
  const over = new AbortController()

  async function renew(): Promise<void> {
    for (;;) {
      await clock.sleep(RENEW_EVERY_MS, over.signal)
      // If the store fails, the lease runs on: its end is what counts.
      const isKept = await store.integrations
        .renew(integration, { generation, token }, clock.now() + LEASE_MS)
        .catch(() => true)
      if (!isKept) return lost.abort(new LeaseLostError())
    }
  }

  const renewing = renew().catch(() => undefined)
  try {
    return await work(AbortSignal.any([signal, lost.signal]))
  } finally {
    over.abort()
    await renewing
  }
}

/** The worker's lease was lost: another worker has the integration, or it was removed. What the worker did last is not written. */
export class LeaseLostError extends Error {
  constructor() {
    super('another worker has taken the integration, or it was removed')
  }
}

/**
 * The store as one worker, or the receiver, may write to it: each commit carries the fence. The tables are there already.
 *
 * @param lost  makes the error that a refused commit throws
 */
export function fencedStore(store: MirrorStore, { generation, token }: Fence, lost: () => Error): MirrorStore {
  return replacing(store, (operation, name) => {
    if (name === 'migrate') return async () => undefined
    if (name !== 'commit') return operation
    return async (integration, commit) => {
      const outcome = await operation(integration, { ...(commit as object), fence: { generation, token } })
      if (outcome === 'fenced') throw lost()
      return outcome
    }
  })
}

/**
 * The store as the readers of one copy see it.
 *
 * @param check  rejects if the copy was removed. It is called after each operation: what was read before the removal is returned, and
 * nothing that was read after it.
 */
export function checkedStore(store: MirrorStore, check: () => Promise<void>): MirrorStore {
  return replacing(store, (operation) => async (...values) => {
    const result = await operation(...values)
    await check()
    return result
  })
}

type Operation = (...values: readonly unknown[]) => Promise<unknown>

/** A store some of whose operations are replaced. */
export function replacing(
  store: MirrorStore,
  replace: (operation: Operation, name: string | symbol) => Operation,
): MirrorStore {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? replace(member.bind(target) as Operation, name) : member
    },
  })
}
