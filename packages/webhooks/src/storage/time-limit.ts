/**
 * Settles as `work` does, or rejects after `limitMs`. Without it, a client or a pool could keep an operation waiting forever.
 *
 * @param tooLate  creates the error after `limitMs`
 * @param onLate  receives a result that arrives after the rejection
 */
export function withinTimeLimit<Result>(
  work: Promise<Result>,
  limitMs: number,
  tooLate: () => Error,
  onLate?: (result: Result) => void,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(tooLate())
      work.then(onLate, () => undefined)
    }, limitMs)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
