/** How far to read ahead, and the signal that ends it. */
interface Reach {
  /** The maximum number of items that are being mapped, or are mapped and not consumed yet. */
  readonly ahead: number
  readonly signal: AbortSignal | undefined
}

/**
 * Maps items in order, several at once. The signal, and leaving the loop, abort the listing and the mapping.
 *
 * @param list  lists the items. Its signal, and that of `map`, fire when the results are no longer needed
 */
export async function* readAhead<Item, Result>(
  list: (signal: AbortSignal) => AsyncIterable<Item>,
  map: (item: Item, signal: AbortSignal) => Promise<Result>,
  { ahead, signal }: Reach,
): AsyncGenerator<Result, void, void> {
  const left = new AbortController()
  const over = signal === undefined ? left.signal : AbortSignal.any([signal, left.signal])
  const items = list(over)[Symbol.asyncIterator]()
  const results: Promise<IteratorResult<Result, undefined>>[] = []
  try {
    for (;;) {
      while (results.length < ahead) results.push(patient(next()))
      const result = await results.shift()
      signal?.throwIfAborted()
      if (result === undefined || result.done === true) return
      yield result.value
    }
  } finally {
    left.abort()
    await items.return?.()
  }

  async function next(): Promise<IteratorResult<Result, undefined>> {
    const item = await items.next()
    return item.done === true ? { done: true, value: undefined } : { done: false, value: await map(item.value, over) }
  }
}

/** A failure is thrown when its turn comes, or never. Until then, the runtime must not report it as unhandled. */
function patient<Result>(result: Promise<Result>): Promise<Result> {
  result.catch(() => undefined)
  return result
}
