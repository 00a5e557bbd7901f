import { durationMs } from '../clock/duration.ts'
import { MockServerError } from '../errors/mock-server-error.ts'
import type { NotesService } from '../service/notes-service.ts'
import type { Channel, IssuedKey, NoteHandle, RecordingHandle } from '../world/owner.ts'
import type { Act, Scenario } from './scenario.ts'

/** The channels, keys and endpoints of a scenario, by the names that the scenario gives them. */
export interface ScenarioSetup {
  readonly channels: ReadonlyMap<string, Channel>
  readonly keys: ReadonlyMap<string, IssuedKey>
  readonly endpoints: readonly RegisteredEndpoint[]
}

interface RegisteredEndpoint {
  readonly url: string
  readonly signing_secret: string
}

/**
 * Creates the channels, integrations and endpoints of a scenario.
 *
 * @throws {@link MockServerError} `scenario_invalid` when the service refuses an endpoint
 */
export async function setUpScenario(service: NotesService, scenario: Scenario): Promise<ScenarioSetup> {
  const { owner } = service
  const channels = new Map(scenario.channels.map((name) => [name, owner.createChannel(name)]))
  const keys = new Map<string, IssuedKey>()
  for (const { name, channels: names, scopes } of scenario.integrations) {
    const integration = owner.createIntegration({ channels: names?.flatMap((name) => channels.get(name) ?? []) })
    keys.set(name, integration.issueKey({ scopes }))
  }
  const endpoints: RegisteredEndpoint[] = []
  for (const endpoint of scenario.endpoints) endpoints.push(await register(service, endpoint, keys))
  return { channels, keys, endpoints }
}

/**
 * Schedules each act of a scenario for its time on the service's clock.
 *
 * @param warn  is called with a sentence for each act that fails, for example because its note was deleted
 */
export function scheduleActs(
  service: NotesService,
  { channels, keys }: ScenarioSetup,
  acts: readonly Act[],
  warn: (problem: string) => void,
): void {
  const recorded = new Map<string, RecordedNote>()

  for (const act of acts) {
    void service.clock.sleep(durationMs(act.at)).then(() => {
      try {
        perform(act)
      } catch (error) {
        const reason = error instanceof MockServerError ? error.message : 'it failed unexpectedly.'
        warn(`The act "${act.do}" at ${act.at} was not done: ${reason}`)
      }
    })
  }

  function perform(act: Act): void {
    if (act.do === 'revoke') keys.get(act.integration)?.revoke()
    else if (act.do === 'record') {
      const { title, content, channel = '' } = act
      const session = service.owner.record({ title, content, channel: channels.get(channel) })
      recorded.set(act.note, { note: session.note, sessions: [session] })
    } else {
      const found = recorded.get(act.note)
      // If the note is missing, its act "record" failed, and `warn` was called for that act.
      if (found !== undefined) actOnNote(act, found, channels)
    }
  }
}

interface RecordedNote {
  readonly note: NoteHandle
  /** The sessions that have not ended, the oldest first. */
  readonly sessions: RecordingHandle[]
}

function actOnNote(
  act: Exclude<Act, { do: 'record' | 'revoke' }>,
  { note, sessions }: RecordedNote,
  channels: ScenarioSetup['channels'],
): void {
  if (act.do === 'record-again') sessions.push(note.record())
  else if (act.do === 'edit') note.edit({ title: act.title, content: act.content })
  else if (act.do === 'move') note.moveTo(channels.get(act.to) ?? 'personal')
  else if (act.do === 'delete') note.delete()
  else (sessions.shift() ?? noSession()).end({ transcript: act.transcript, summary: act.summary })
}

function noSession(): never {
  const problem = 'no recording session of the note is under way'
  throw new MockServerError('session_unknown', problem, 'Add an act "record-again" before it.')
}

/** Registers an endpoint through the REST API as a client does, so that contract variants and fault rules apply. */
async function register(
  { fetch, baseUrl, apiKey }: NotesService,
  { url, events, integration }: Scenario['endpoints'][number],
  keys: ScenarioSetup['keys'],
): Promise<RegisteredEndpoint> {
  const key = integration === undefined ? apiKey : keys.get(integration)?.key
  const request = new Request(`${baseUrl}/v1/webhook-endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url, events }),
  })
  const response = await fetch(request).catch(() => undefined)
  if (response?.status === 201) return { url, signing_secret: (await response.json()).signing_secret }
  const problem = `the service refuses an endpoint of the scenario: ${await reasonIn(response)}`
  const remedy = 'Correct the endpoint, the scopes of its integration, or the fault rules.'
  throw new MockServerError('scenario_invalid', problem, remedy)
}

async function reasonIn(response: Response | undefined): Promise<string> {
  if (response === undefined) return 'a fault rule broke the connection'
  const body: { readonly error?: { readonly code?: string; readonly message?: string } } = await response
    .json()
    .catch(() => ({}))
  const message = body.error?.message?.replace(/\.$/, '')
  return message ?? `it answers ${response.status}`
}
