import type { Act, ScenarioFile } from './scenario.ts'

/**
 * Looks for a name in a scenario that nothing there has, or two things.
 *
 * @returns what is wrong, in words, or nothing
 */
export function firstDanglingName(scenario: ScenarioFile): string | undefined {
  const { value } = danglingNames(scenario).next()
  return value
}

function* danglingNames({ channels, integrations, endpoints, acts }: ScenarioFile): Generator<string, undefined> {
  const names = integrations.map(({ name }) => name)
  yield* repeated('channel', channels)
  yield* repeated('integration', names)
  for (const { channels: seen = [] } of integrations) yield* unknown('channel', seen, channels)
  yield* unknown(
    'integration',
    endpoints.flatMap(({ integration }) => integration ?? []),
    names,
  )
  const recorded = new Set<string>()
  for (const act of acts) {
    if (act.do === 'revoke') yield* unknown('integration', [act.integration], names)
    else {
      yield* unknown('channel', placesIn(act), channels)
      yield* untimely(act, recorded)
    }
  }
  return undefined
}

function* repeated(kind: string, names: readonly string[]): Generator<string> {
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) yield `two ${kind}s are named "${twice}"; give one another name`
}

function* unknown(kind: string, used: readonly string[], known: readonly string[]): Generator<string> {
  for (const name of used) {
    if (!known.includes(name)) yield `there is no ${kind} "${name}"; list it under "${kind}s"`
  }
}

function placesIn(act: Act): readonly string[] {
  if (act.do === 'record') return act.channel === undefined ? [] : [act.channel]
  return act.do === 'move' && act.to !== 'personal' ? [act.to] : []
}

/** A note is recorded once, and before anything else happens to it. */
function* untimely(act: Exclude<Act, { readonly do: 'revoke' }>, recorded: Set<string>): Generator<string> {
  const isRecorded = recorded.has(act.note)
  if (act.do === 'record') {
    if (isRecorded) yield `the note "${act.note}" is recorded twice; "record-again" begins another session`
    recorded.add(act.note)
  } else if (!isRecorded) {
    yield `the act "${act.do}" at ${act.at} names the note "${act.note}", which nothing records before it`
  }
}
