import type { MirrorStore } from '../stores/mirror-store.ts'

interface Tidying {
  readonly store: Pick<MirrorStore, 'tidy'>
  readonly signal: AbortSignal
  readonly shouldYield: () => boolean
}

/** Does the work of the store itself until nothing is left, or the slice must end. */
export async function tidy({ store, signal, shouldYield }: Tidying): Promise<void> {
  while (!signal.aborted && !shouldYield() && (await store.tidy?.()));
}
