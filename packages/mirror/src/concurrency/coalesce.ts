/**
 * Makes a function that batches its concurrent calls. A call during a run joins the next run, together with all other waiting calls. Every
 * call is therefore answered by a run that began after the call.
 *
 * @param run  answers all calls of a run at once
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
    const answer = running.then(() => {
      waiting = undefined
      return run(members)
    })
    running = answer.catch(() => undefined)
    waiting = { members, answer }
    return answer
  }
}
