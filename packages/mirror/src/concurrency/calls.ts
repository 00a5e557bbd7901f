/** Makes a function that calls `make` once, and calls it again only if it has rejected. */
export function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | undefined
  return () => {
    made ??= make().catch((error) => {
      made = undefined
      throw error
    })
    return made
  }
}

/** Makes a function that runs at most `count` of its tasks at a time. The others wait in order. */
export function atMost(count: number): <Result>(task: () => Promise<Result>) => Promise<Result> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (task) => {
    if (running >= count) await new Promise<void>((resolve) => void waiting.push(resolve))
    else running += 1
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
