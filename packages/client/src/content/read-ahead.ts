/** How far to read ahead, and until when. */
interface Reach {
  /** How many items at most are being mapped, or wait mapped, for the consumer to ask. */
  readonly ahead: number
  readonly signal: AbortSignal | undefined
}

/**
 * Maps items in order, several at once. What is under way ends with the signal, and with the loop.
 *
 * @param list  lists the items; its signal, and that of `map`, fire when nobody waits for the results any more
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

/** A failure waits for its turn, which may never come: until then it must not count as unhandled. */
function patient<Result>(result: Promise<Result>): Promise<Result> {
  result.catch(() => undefined)
  return result
}
