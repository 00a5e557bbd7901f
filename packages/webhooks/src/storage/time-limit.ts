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
  onLate: (result: Result) => void = () => undefined,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      reject(tooLate())
    }, limitMs)
    work.then(
      (result) => {
        clearTimeout(timer)
        if (isLate) onLate(result)
        else resolve(result)
      },
      (error) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
