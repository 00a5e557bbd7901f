import { readFile } from 'node:fs/promises'
import { NOTE_EVENT_KINDS, SCOPES } from '@notewire/protocol'
import * as z from 'zod/mini'
import { durationMs, durationSchema } from '../clock/duration.ts'
import { checked, fields, name } from '../errors/checked.ts'
import { MockServerError, type Refusal } from '../errors/mock-server-error.ts'
import { serviceOptionsSchema } from '../service/service-options.ts'
import { outcomeSchema } from '../world/create-owner.ts'

const text = z.optional(z.string())
const note = name.check(z.describe('A label for the note, by which later acts name it.'))

function act<Kind extends string, Shape extends z.core.$ZodShape>(kind: Kind, description: string, shape: Shape) {
  const at = durationSchema.check(z.describe('The time after the start: "90s", "26h40m", or milliseconds.'))
  return fields({ at, do: z.literal(kind), ...shape }).check(z.describe(description))
}

const actSchema = z.discriminatedUnion('do', [
  act('record', 'Creates a note and starts its first recording session.', {
    note,
    title: text,
    content: text,
    channel: z.optional(name).check(z.describe('The channel of the note. Default: a personal note.')),
  }),
  act('record-again', 'Starts another recording session of a note.', { note }),
  act('end', 'Ends the oldest recording session of a note that has not ended.', {
    note,
    ...outcomeSchema.def.shape,
  }),
  act('edit', 'Changes the title or the content of a note.', { note, title: text, content: text }),
  act('move', 'Moves a note to a channel, or to the personal notes.', {
    note,
    to: name.check(z.describe('"personal", or the name of a channel.')),
  }),
  act('delete', 'Deletes a note and leaves its tombstone.', { note }),
  act('revoke', 'Revokes the key of an integration.', { integration: name }),
])

export const scenarioSchema = fields({
  $schema: text.check(z.describe('The URL of this schema, for editors.')),
  service: z.optional(serviceOptionsSchema).check(z.describe('The options of createNotesService.')),
  channels: z._default(z.array(name), []).check(z.describe('The names of channels.')),
  integrations: z
    ._default(
      z.array(
        fields({
          name,
          channels: z
            .optional(z.array(name).check(z.minLength(1)))
            .check(z.describe('The channels that its key can access. Default: the personal notes.')),
          scopes: z._default(z.array(z.enum(SCOPES)).check(z.minLength(1)), [...SCOPES]),
        }),
      ),
      [],
    )
    .check(z.describe('Integrations with one key each. The program prints the key.')),
  endpoints: z
    ._default(
      z.array(
        fields({
          url: name,
          events: z._default(z.array(z.enum(NOTE_EVENT_KINDS)).check(z.minLength(1)), [...NOTE_EVENT_KINDS]),
          integration: z
            .optional(name)
            .check(z.describe("The integration that it belongs to. Default: that of the service's own key.")),
        }),
      ),
      [],
    )
    .check(z.describe('Endpoints to register at the start. The program prints their secrets.')),
  acts: z._default(z.array(actSchema), []).check(z.describe('The acts of the owner.')),
})

/** A scenario: the options of a service, its channels, integrations and endpoints, and the acts of its owner in order of time. */
export type Scenario = z.output<typeof scenarioSchema>

export type Act = Scenario['acts'][number]

/**
 * Reads a scenario file. Without a path, returns an empty scenario.
 *
 * @throws {@link MockServerError} `scenario_unreadable` when the file cannot be read, `scenario_invalid` when it is not a valid scenario
 */
export async function loadScenario(path: string | undefined): Promise<Scenario> {
  return path === undefined ? readScenario('{}', 'no file') : readScenario(await contentOf(path), path)
}

export function readScenario(content: string, path: string): Scenario {
  const scenario = validScenario(parsedJson(content, path), path)
  const wrong = wrongNames(scenario).next().value
  if (wrong !== undefined) throw invalid(path, wrong)
  return { ...scenario, acts: scenario.acts.toSorted((one, other) => durationMs(one.at) - durationMs(other.at)) }
}

async function contentOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    const problem = `cannot read the scenario ${path} (${code === 'ENOENT' ? 'there is no such file' : code})`
    throw new MockServerError('scenario_unreadable', problem, 'Pass the path of a JSON file.')
  }
}

function parsedJson(content: string, path: string): unknown {
  try {
    return JSON.parse(content)
  } catch (error) {
    // V8's message contains the line. The rest of the message is not shown, because it may quote a title or a key.
    const [, line] = /\(line (\d+) /.exec(error instanceof Error ? error.message : '') ?? []
    const problem = line === undefined ? 'it is not JSON' : `it is not JSON from line ${line} on`
    throw invalid(path, { problem, remedy: 'Correct the syntax.' })
  }
}

function validScenario(parsed: unknown, path: string): Scenario {
  try {
    return checked('the scenario', scenarioSchema, parsed)
  } catch (error) {
    if (!(error instanceof MockServerError)) throw error
    throw invalid(path, error)
  }
}

function invalid(path: string, { problem, remedy, option }: Refusal & { readonly option?: string | undefined }) {
  const remedyWithLink = `${remedy} See docs/mock-server/scenarios.md for the format.`
  return new MockServerError(
    'scenario_invalid',
    `the scenario ${path} is not valid: ${problem}`,
    remedyWithLink,
    option,
  )
}

/** Yields a refusal for each name that is used but not defined, or defined twice. */
function* wrongNames({ channels, integrations, endpoints, acts }: Scenario): Generator<Refusal, undefined> {
  const names = integrations.map(({ name }) => name)
  yield* repeated('channel', channels)
  yield* repeated('integration', names)
  for (const { channels: used = [] } of integrations) yield* unknown('channel', used, channels)
  for (const { integration } of endpoints) yield* unknown('integration', [integration ?? []].flat(), names)
  const recorded = new Set<string>()
  for (const act of acts.toSorted((one, other) => durationMs(one.at) - durationMs(other.at))) {
    if (act.do === 'revoke') yield* unknown('integration', [act.integration], names)
    else {
      yield* unknown('channel', channelsIn(act), channels)
      yield* misplaced(act, recorded)
    }
  }
  return undefined
}

function* repeated(kind: string, names: readonly string[]): Generator<Refusal> {
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice === undefined) return
  yield { problem: `two ${kind}s are named "${twice}"`, remedy: 'Give one of them another name.' }
}

function* unknown(kind: string, used: readonly string[], known: readonly string[]): Generator<Refusal> {
  for (const name of used) {
    if (known.includes(name)) continue
    yield { problem: `there is no ${kind} "${name}"`, remedy: `Add it to "${kind}s", or name another one.` }
  }
}

function channelsIn(act: Act): readonly string[] {
  if (act.do === 'record') return act.channel === undefined ? [] : [act.channel]
  return act.do === 'move' && act.to !== 'personal' ? [act.to] : []
}

/** Yields a refusal unless each note is recorded exactly once, before every other act on it. */
function* misplaced(act: Exclude<Act, { do: 'revoke' }>, recorded: Set<string>): Generator<Refusal> {
  if (act.do !== 'record') {
    if (recorded.has(act.note)) return
    const problem = `the act "${act.do}" at ${act.at} names the note "${act.note}", which no earlier act records`
    yield { problem, remedy: 'Add an act "record" for this note at an earlier time.' }
  } else if (recorded.has(act.note)) {
    const problem = `the note "${act.note}" is recorded twice`
    yield { problem, remedy: 'Use "record-again" to start another session of the same note.' }
  } else {
    recorded.add(act.note)
  }
}
