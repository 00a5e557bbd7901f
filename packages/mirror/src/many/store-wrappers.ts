import type { Fence } from '../interfaces/integration-store.ts'
import type { MirrorStore } from '../interfaces/store.ts'

/** Returns a store with some members replaced. The store may be an instance of a class, so it cannot be copied. */
export function withMembers<Transaction>(
  store: MirrorStore<Transaction>,
  members: Partial<MirrorStore<Transaction>>,
): MirrorStore<Transaction> {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(members, name) ?? Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

/**
 * Returns the store for one worker, or for the receiver: each commit carries the fence. Its tables exist already.
 *
 * @param lost  makes the error that a fenced commit throws
 */
export function fencedStore(store: MirrorStore, { generation, token }: Fence, lost: () => Error): MirrorStore {
  return withMembers(store, {
    migrate: async () => undefined,
    async commit(integration, commit) {
      const outcome = await store.commit(integration, { ...commit, fence: { generation, token } })
      if (outcome === 'fenced') throw lost()
      return outcome
    },
  })
}

/**
 * Returns the store for the readers of one copy.
 *
 * @param check  rejects if the copy was removed. It runs after each operation, so that data that was read after the removal is not returned.
 */
export function checkedStore(store: MirrorStore, check: () => Promise<void>): MirrorStore {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return async (...values: readonly unknown[]) => {
        const result: unknown = await member.apply(target, values)
        await check()
        return result
      }
    },
  })
}
