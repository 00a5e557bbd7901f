import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ACTIONS, type Action } from '../docs/.vitepress/see-it-work/actions.ts'
import { Demonstration, type Snapshot } from '../docs/.vitepress/see-it-work/demonstration.ts'

const actions = (label: string): Action => ACTIONS.find((action) => action.label === label) ?? expect.fail(label)

/** Presses buttons as the page does: each acts on the first note. */
async function press(demonstration: Demonstration, pressed: readonly Action[]): Promise<Snapshot> {
  for (const action of pressed) {
    const { service } = await demonstration.snapshot()
    await demonstration.act(action.act, service[0]?.note_id)
  }
  return await demonstration.snapshot()
}

describe('the naive copy after', () => {
  it.each([
    ['Record a meeting', []],
    ['Edit', []],
    ['Delete', []],
    ['Take access away', []],
    ['Deliver twice', []],
    ['Deliver out of order', ['is still in the copy, but was deleted or is no longer accessible']],
    ['Forge a deletion', ['is missing']],
    ['Change the secret', []],
    ['Let a handler fail', ['has revision 3, but the service has 4']],
    ['Lose an event', ['has revision 3, but the service has 4']],
  ])('"%s" differs as the page says', async (label, expected) => {
    const demonstration = await Demonstration.start()
    const { differences } = await press(demonstration, [actions(label)])
    expect(differences.naive.map(({ what }) => what)).toEqual(expected)
    expect(differences.notewire.length).toBe(label === 'Lose an event' ? 1 : 0)
  })
})

describe('a past delivery', () => {
  const titles = ({ timeline }: Snapshot) => timeline.map(({ event_id, title }) => [event_id, title] as const)

  it('keeps the title that its note had', async () => {
    const demonstration = await Demonstration.start()
    const before = titles(await demonstration.snapshot())
    const edited = titles(await press(demonstration, [actions('Edit')]))
    const after = titles(await press(demonstration, [actions('Edit'), actions('Deliver twice'), actions('Delete')]))
    expect(edited.slice(0, before.length)).toEqual(before)
    expect(after.slice(0, edited.length)).toEqual(edited)
    expect(edited.at(-1)?.[1]).toMatch(/, version \d+$/)
    expect(before.map(([, title]) => title).join()).not.toContain('version')
  })
})

describe('after any five buttons', () => {
  it("Notewire's copy equals the service's once time has passed", async () => {
    const five = fc.array(fc.constantFrom(...ACTIONS), { minLength: 5, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(five, async (pressed) => {
        const demonstration = await Demonstration.start()
        await press(demonstration, pressed)
        await demonstration.passAllRetries()
        if (pressed.some(({ label }) => label === 'Lose an event')) await demonstration.reconcile()
        expect((await demonstration.snapshot()).differences.notewire).toEqual([])
      }),
      { numRuns: 30 },
    )
  })
})
