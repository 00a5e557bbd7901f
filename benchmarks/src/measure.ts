/** Measures the microseconds per operation of each contender. */
export async function measureTurnByTurn(
  contenders: Readonly<Record<string, (turn: number) => unknown>>,
  { rounds, operations }: { readonly rounds: number; readonly operations: number },
): Promise<Readonly<Record<string, number>>> {
  const samples = mapValues(contenders, (operate) => async () => {
    const began = process.hrtime.bigint()
    for (let turn = 0; turn < operations; turn += 1) await operate(turn)
    return Number(process.hrtime.bigint() - began) / 1000 / operations
  })
  await mediansTurnByTurn(samples, 1) // This round only warms up.
  return mediansTurnByTurn(samples, rounds)
}

/** The median of each contender's samples. The contenders take turns, so that a slow moment affects them all. */
export async function mediansTurnByTurn(
  contenders: Readonly<Record<string, () => number | Promise<number>>>,
  rounds: number,
): Promise<Readonly<Record<string, number>>> {
  const samples = mapValues(contenders, (): number[] => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, sample] of Object.entries(contenders)) samples[name]?.push(await sample())
  }
  return mapValues(samples, median)
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

function mapValues<Value, Mapped>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value) => Mapped,
): Readonly<Record<string, Mapped>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))
}
