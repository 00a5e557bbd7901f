/**
 * Makes a function whose calls share runs. A run begins in the next turn of the event loop, and after the run before it: it serves all calls
 * that were made until then. So each call is served by a run that began after the call.
 *
 * @param run  serves all members of a run at once
 */
export function coalesce<Member, Answer>(
  run: (members: readonly Member[]) => Promise<Answer>,
): (member: Member) => Promise<Answer> {
  let waiting: { readonly members: Member[]; readonly answer: Promise<Answer> } | undefined
  let running: Promise<unknown> = Promise.resolve()
  return (member) => {
    if (waiting !== undefined) {
      waiting.members.push(member)
      return waiting.answer
    }
    const members = [member]
    const answer = Promise.all([running, nextTurn()]).then(() => {
      waiting = undefined
      return run(members)
    })
    running = answer.catch(() => undefined)
    waiting = { members, answer }
    return answer
  }
}

// Kept, so that fake timers do not replace it. Cloudflare has none: there, a run begins at once.
const { setImmediate } = globalThis as Partial<Pick<typeof globalThis, 'setImmediate'>>

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (setImmediate === undefined) resolve()
    else setImmediate(resolve)
  })
}
