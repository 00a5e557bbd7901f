import { readFile } from 'node:fs/promises'
import { NOTE_EVENT_KINDS, SCOPES } from '@notewire/protocol'
import { durationMs } from '../clock/duration.ts'
import { ProgramError } from './program-error.ts'
import type { Act, PlannedEndpoint, PlannedIntegration, ScenarioFile } from './scenario.ts'
import { scenarioForm } from './scenario-form.ts'
import { firstDanglingName } from './scenario-names.ts'

/**
 * Reads a scenario file, or none.
 *
 * @throws {@link ProgramError} that names the file and the place in it, and says what belongs there
 */
export async function loadScenario(path: string | undefined): Promise<ScenarioFile> {
  return path === undefined ? readScenario('{}', 'no file') : readScenario(await contentOf(path), path)
}

/** Reads a scenario from its text. */
export function readScenario(content: string, path: string): ScenarioFile {
  const parsed = parse(content, path)
  const fault = scenarioForm(parsed, '')
  if (fault !== undefined) {
    throw misused(path, `${fault.path === '' ? 'the scenario' : `"${fault.path}"`} should be ${fault.expected}`)
  }
  const scenario = complete(parsed as WrittenScenario)
  const dangling = firstDanglingName(scenario)
  if (dangling !== undefined) throw misused(path, dangling)
  return scenario
}

/** A scenario as it is written: everything may be left out. */
interface WrittenScenario {
  readonly service?: ScenarioFile['service']
  readonly channels?: readonly string[]
  readonly integrations?: readonly (Pick<PlannedIntegration, 'name'> & Partial<PlannedIntegration>)[]
  readonly endpoints?: readonly (Pick<PlannedEndpoint, 'url'> & Partial<PlannedEndpoint>)[]
  readonly acts?: readonly Act[]
}

function complete({
  service = {},
  channels = [],
  integrations = [],
  endpoints = [],
  acts = [],
}: WrittenScenario): ScenarioFile {
  return {
    service,
    channels,
    integrations: integrations.map((written) => ({ channels: undefined, scopes: SCOPES, ...written })),
    endpoints: endpoints.map((written) => ({ events: NOTE_EVENT_KINDS, integration: undefined, ...written })),
    acts: [...acts].sort((one, other) => durationMs(one.at) - durationMs(other.at)),
  }
}

async function contentOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    const reason = code === 'ENOENT' ? 'there is no such file' : code
    throw new ProgramError('refused', `cannot read the scenario ${path} (${reason}). Pass the path of a JSON file.`)
  }
}

function parse(content: string, path: string): unknown {
  try {
    return JSON.parse(content)
  } catch (error) {
    // The message itself may quote a title or a key.
    const [, line] = /\(line (\d+) /.exec(error instanceof Error ? error.message : '') ?? []
    throw misused(path, line === undefined ? 'it is not JSON' : `it is not JSON from line ${line} on`)
  }
}

function misused(path: string, what: string): ProgramError {
  return new ProgramError(
    'misused',
    `the scenario ${path} cannot be played: ${what}. The format is in docs/mock-server/scenarios.md.`,
  )
}
