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

/**
 * Makes a function that batches its concurrent calls. A call during a run joins the next run, together with all other waiting calls. Every
 * call is therefore answered by a run that began after the call.
 *
 * @param run  answers all calls of a run at once
 * @param gather  resolves when a run has waited long enough for more calls
 */
export function coalesce<Member, Answer>(
  run: (members: readonly Member[]) => Promise<Answer>,
  gather: () => Promise<void> = () => Promise.resolve(),
): (member: Member) => Promise<Answer> {
  let waiting: { readonly members: Member[]; readonly answer: Promise<Answer> } | undefined
  let running: Promise<unknown> = Promise.resolve()
  return (member) => {
    if (waiting !== undefined) {
      waiting.members.push(member)
      return waiting.answer
    }
    const members = [member]
    const answer = Promise.all([running, gather()])
      .finally(() => {
        waiting = undefined
      })
      .then(() => run(members))
    running = answer.catch(() => undefined)
    waiting = { members, answer }
    return answer
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
