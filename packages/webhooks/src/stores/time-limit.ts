/** Clients and pools may keep an operation waiting for ever, and the service waits for an answer for 10 s. */
export const STORE_TIME_LIMIT_MS = 5_000

/**
 * What an operation answers, unless it takes longer than five seconds.
 *
 * @param tooLate  makes the error that it rejects with then
 * @param onLate  called with the answer that came when nobody waited for it any longer
 */
export function withinTimeLimit<Answer>(
  work: Promise<Answer>,
  tooLate: () => Error,
  onLate: (answer: Answer) => void = () => undefined,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let late = false
    const timer = setTimeout(() => {
      late = true
      reject(tooLate())
    }, STORE_TIME_LIMIT_MS)
    work.then(
      (answer) => {
        clearTimeout(timer)
        if (late) onLate(answer)
        else resolve(answer)
      },
      (error) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
