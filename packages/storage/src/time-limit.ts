/**
 * Settles as `work` does, or rejects after `limitMs`. Without it, a client or a pool could keep an operation waiting forever.
 *
 * @param tooLate  creates the error after `limitMs`
 * @param onLate  receives a result that arrives after the rejection
 */
export async function withinTimeLimit<Result>(
  work: Promise<Result>,
  limitMs: number,
  tooLate: () => Error,
  onLate?: (result: Result) => void,
): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(tooLate())
    work.then(onLate, () => undefined)
  }, limitMs)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
