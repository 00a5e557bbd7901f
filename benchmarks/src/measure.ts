/** How long one operation takes for each contender, measured turn by turn so that a slow moment hits them all. */
export async function measureTurnByTurn(
  contenders: Readonly<Record<string, (turn: number) => unknown>>,
  { rounds, operations }: { readonly rounds: number; readonly operations: number },
): Promise<Readonly<Record<string, number>>> {
  const samples = new Map<string, number[]>(Object.keys(contenders).map((name) => [name, []]))
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, operate] of Object.entries(contenders)) {
      const began = process.hrtime.bigint()
      for (let turn = 0; turn < operations; turn += 1) await operate(turn)
      const nanoseconds = Number(process.hrtime.bigint() - began) / operations
      // The first round only warms up.
      if (round >= 0) samples.get(name)?.push(nanoseconds)
    }
  }
  return Object.fromEntries([...samples].map(([name, values]) => [name, median(values)]))
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
