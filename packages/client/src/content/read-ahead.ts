import { refuseNoSignal } from '@notewire/protocol'

/** How far to read ahead, and the signal that ends the reading. */
interface ReadAheadOptions {
  /** The maximum number of items that are being mapped, or are mapped and not consumed yet. */
  readonly ahead: number
  readonly signal: AbortSignal | undefined
}

/**
 * Maps items in order, several at once. An abort of the signal, or leaving the loop, aborts the listing and the mapping.
 *
 * @param list  lists the items. Its signal, and that of `map`, fire when the results are no longer needed
 */
export async function* readAhead<Item, Result>(
  list: (signal: AbortSignal) => AsyncIterable<Item>,
  map: (item: Item, signal: AbortSignal) => Promise<Result>,
  { ahead, signal }: ReadAheadOptions,
): AsyncGenerator<Result, void, void> {
  const loopLeft = new AbortController()
  refuseNoSignal(signal)
  const stop = signal === undefined ? loopLeft.signal : AbortSignal.any([signal, loopLeft.signal])
  const items = list(stop)[Symbol.asyncIterator]()
  const results: Promise<IteratorResult<Result, undefined>>[] = []
  try {
    for (;;) {
      while (results.length < ahead) results.push(withoutUnhandledRejection(next()))
      const result = await results.shift()
      signal?.throwIfAborted()
      if (result === undefined || result.done === true) return
      yield result.value
    }
  } finally {
    loopLeft.abort()
    await items.return?.()
  }

  async function next(): Promise<IteratorResult<Result, undefined>> {
    const item = await items.next()
    return item.done === true ? { done: true, value: undefined } : { done: false, value: await map(item.value, stop) }
  }
}

/** The loop throws a rejection when it reaches the item, which may be never. The runtime must not report it as unhandled before. */
function withoutUnhandledRejection<Result>(result: Promise<Result>): Promise<Result> {
  result.catch(() => undefined)
  return result
}
