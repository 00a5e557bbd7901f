/**
 * Lets those who ask while something runs share the next run of it: each is served by a run that began after it had asked.
 *
 * @param run  serves all members of a run at once
 */
export function inTheNextRun<Member, Answer>(
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
