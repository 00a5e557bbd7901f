/** One command that a change must pass. */
export interface Gate {
  readonly name: string
  readonly command: string
  /** After this time it is stopped and has failed: about three times what it took on two quiet cores. */
  readonly limitSeconds: number
}

/** The gates in the order of `npm run check`. Gates of one row run side by side: none of them measures time. */
export const ROWS: readonly (readonly Gate[])[] = [
  [
    { name: 'lint', command: 'npm run --silent lint', limitSeconds: 120 },
    { name: 'types', command: 'npm run --silent types', limitSeconds: 240 },
    { name: 'arrows', command: 'npm run --silent arrows', limitSeconds: 240 },
    { name: 'knip', command: 'npm run --silent knip', limitSeconds: 240 },
    { name: 'contract', command: 'npm run --silent contract', limitSeconds: 120 },
  ],
  [
    { name: 'start', command: 'npm run --silent tour', limitSeconds: 60 },
    { name: 'build', command: 'npm run --silent build', limitSeconds: 300 },
  ],
  [{ name: 'test', command: 'TEST_RUN=people vitest run --config vitest.workspace.ts', limitSeconds: 900 }],
  [{ name: 'test:rest', command: 'TEST_RUN=rest vitest run --config vitest.workspace.ts', limitSeconds: 2_400 }],
  [
    { name: 'package-check', command: 'npm run --silent package-check', limitSeconds: 240 },
    { name: 'docs', command: 'npm run --silent docs', limitSeconds: 360 },
  ],
  [
    {
      name: 'test:page',
      command: 'TEST_RUN=any vitest run --config vitest.workspace.ts --project see-it-work-in-browser',
      limitSeconds: 900,
    },
  ],
]

/** @throws an error with the known names if there is no gate of this name */
export function gateOf(name: string): Gate {
  const gates = ROWS.flat()
  const gate = gates.find((each) => each.name === name)
  if (gate !== undefined) return gate
  throw new Error(`There is no gate "${name}". The gates are ${gates.map((each) => each.name).join(', ')}.`)
}
