import { closeSync, globSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { summaryOf, type TestResults } from './gate-summary.ts'
import { type Gate, gateOf, ROWS } from './gates.ts'
import { WORKSPACE } from './run.ts'
import { type GateEnd, runGate } from './run-gate.ts'

// Usage: npm run check, or npm run check -- lint types for these gates alone.
const asked = process.argv.slice(2).map(gateOf)
const results = join(WORKSPACE, 'test-results')
rmSync(results, { recursive: true, force: true })
mkdirSync(results)
process.env['TEST_RESULTS'] = results

const ends: GateEnd[] = []
for (const row of ROWS) {
  const gates = asked.length === 0 ? row : row.filter((gate) => asked.includes(gate))
  ends.push(...(await runRow(gates)))
  if (ends.some(({ failure }) => failure !== undefined)) break
}
const runs = globSync('*.json', { cwd: results }).map((file) => readFileSync(join(results, file), 'utf8'))
console.log(
  summaryOf(
    ends,
    runs.map((run): TestResults => JSON.parse(run)),
  ),
)
if (ends.some(({ failure }) => failure !== undefined)) process.exitCode = 1

/** Runs gates side by side. When one fails, the others are stopped. */
async function runRow(gates: readonly Gate[]): Promise<readonly GateEnd[]> {
  const [first] = gates
  if (first !== undefined && gates.length === 1) return [await runAlone(first)]
  const stop = new AbortController()
  return await Promise.all(
    gates.map(async (gate) => {
      const end = await runBeside(gate, stop.signal)
      if (end.failure !== undefined) stop.abort()
      return end
    }),
  )
}

async function runAlone(gate: Gate): Promise<GateEnd> {
  console.log(`\n== ${gate.name}`)
  return printed(await runGate(gate, 'inherit'))
}

/** Prints the output of a gate only if it fails, when it has ended. */
async function runBeside(gate: Gate, stop: AbortSignal): Promise<GateEnd> {
  const log = join(results, `${gate.name}.log`)
  const descriptor = openSync(log, 'w')
  const end = await runGate(gate, descriptor, stop)
  closeSync(descriptor)
  if (end.failure !== undefined && !stop.aborted) console.log(`\n== ${gate.name}\n${readFileSync(log, 'utf8')}`)
  return printed(end)
}

function printed(end: GateEnd): GateEnd {
  console.log(`== ${end.gate.name}: ${end.failure ?? 'passed'}, ${Math.round(end.seconds)} s`)
  return end
}
