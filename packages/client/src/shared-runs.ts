import { refuseNoSignal } from '@notewire/protocol'

/** Work that answers several calls at once. */
interface Run<Member, Answer> {
  readonly members: Member[]
  /** How many calls wait for the answer. */
  waiting: number
  readonly abandoned: AbortController
  readonly answer: Promise<Answer>
}

/**
 * Makes a function whose concurrent calls share runs. A call during a run joins the next run, together with all other waiting calls, so each
 * call is answered by a run that began after the call. An abort ends one call. A run ends early if all of its calls have been aborted.
 *
 * @param work  answers all calls of a run at once
 */
export function sharingRuns<Member, Answer>(
  work: (members: readonly Member[], signal: AbortSignal) => Promise<Answer>,
): (member: Member, signal: AbortSignal | undefined) => Promise<Answer> {
  let next: Run<Member, Answer> | undefined
  let running: Promise<unknown> = Promise.resolve()

  function nextRun(): Run<Member, Answer> {
    const members: Member[] = []
    const abandoned = new AbortController()
    const answer = running.then(() => {
      if (next?.answer === answer) next = undefined
      abandoned.signal.throwIfAborted()
      return work(members, abandoned.signal)
    })
    running = answer.catch(() => undefined)
    return { members, waiting: 0, abandoned, answer }
  }

  return async (member, signal) => {
    refuseNoSignal(signal)
    signal?.throwIfAborted()
    if (next === undefined || next.abandoned.signal.aborted) next = nextRun()
    next.members.push(member)
    return await answerOf(next, signal)
  }
}

async function answerOf<Answer>(run: Run<unknown, Answer>, signal: AbortSignal | undefined): Promise<Answer> {
  const aborted = Promise.withResolvers<never>()
  function leave(): void {
    aborted.reject(signal?.reason)
    run.waiting -= 1
    if (run.waiting === 0) run.abandoned.abort(signal?.reason)
  }
  run.waiting += 1
  signal?.addEventListener('abort', leave, { once: true })
  try {
    return await Promise.race([run.answer, aborted.promise])
  } finally {
    signal?.removeEventListener('abort', leave)
  }
}
