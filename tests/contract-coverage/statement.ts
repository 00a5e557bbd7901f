/** One thing that the contract says, beside the tests that show it happening. */
export interface Statement {
  /** Where it is said: a section of the contract, or a row of the open points. */
  readonly at: string
  readonly says: string
  /** `<package>/<file below its src> › <title of the test>`; `tests/…` and `benchmarks/…` are those of the whole workspace. */
  readonly shownBy: readonly string[]
}

/** The statements of one place: `[what it says, the tests that show it, …]`. */
export function statementsOf(
  at: string,
  ...list: readonly (readonly [says: string, ...shownBy: string[]])[]
): readonly Statement[] {
  return list.map(([says, ...shownBy]) => ({ at, says, shownBy }))
}
