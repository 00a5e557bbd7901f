/**
 * Makes a function whose calls share runs: a call that comes while a run is under way waits for the next run, together with all
 * others that wait for it. So each call is served by a run that began after the call.
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
    const answer = running.then(() => {
      waiting = undefined
      return run(members)
    })
    running = answer.catch(() => undefined)
    waiting = { members, answer }
    return answer
  }
}
