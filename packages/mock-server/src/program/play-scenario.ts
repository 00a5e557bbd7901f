import type { ApiErrorBody } from '@notewire/protocol'
import { durationMs } from '../clock/duration.ts'
import type { NotesService } from '../notes-service.ts'
import type { Channel, IssuedKey, NoteHandle, RecordingHandle } from '../world/owner.ts'
import { ProgramError } from './program-error.ts'
import type { Act, PlannedEndpoint, ScenarioFile } from './scenario.ts'

/** Who and what a scenario has put into a service before anything happens. */
export interface Stage {
  readonly channels: ReadonlyMap<string, Channel>
  /** The key of each integration, by its name. */
  readonly keys: ReadonlyMap<string, IssuedKey>
  readonly endpoints: readonly StagedEndpoint[]
}

/** An endpoint that was registered, with its secret, which is shown once. */
export interface StagedEndpoint {
  readonly url: string
  readonly signing_secret: string
}

/**
 * Makes the channels, integrations and endpoints of a scenario.
 *
 * @throws {@link ProgramError} when the service refuses an endpoint
 */
export async function setStage(service: NotesService, scenario: ScenarioFile): Promise<Stage> {
  const { owner } = service
  const channels = new Map(scenario.channels.map((name) => [name, owner.createChannel(name)]))
  const keys = new Map<string, IssuedKey>()
  for (const { name, channels: seen, scopes } of scenario.integrations) {
    const integration = owner.createIntegration({ channels: seen?.flatMap((channel) => channels.get(channel) ?? []) })
    keys.set(name, integration.issueKey({ scopes }))
  }
  const endpoints: StagedEndpoint[] = []
  for (const planned of scenario.endpoints) endpoints.push(await register(service, planned, keys))
  return { channels, keys, endpoints }
}

/**
 * Does what a scenario says, each act at its time of the service's clock, and tells of acts that cannot be done (any more).
 *
 * @param complain  is told, in a sentence, why an act was not done
 */
export function playActs(
  service: NotesService,
  { channels, keys }: Stage,
  acts: readonly Act[],
  complain: (problem: string) => void,
): void {
  const cast = {
    service,
    channels,
    keys,
    notes: new Map<string, NoteHandle>(),
    sessions: new Map<string, RecordingHandle[]>(),
  }
  for (const act of acts) {
    void service.clock.sleep(durationMs(act.at)).then(() => {
      try {
        perform(act, cast)
      } catch (error) {
        complain(
          `The act "${act.do}" at ${act.at} was not done: ${error instanceof Error ? error.message : 'it failed.'}`,
        )
      }
    })
  }
}

/** Whom the acts are about, by the labels of the file. */
interface Cast {
  readonly service: NotesService
  readonly channels: Stage['channels']
  readonly keys: Stage['keys']
  readonly notes: Map<string, NoteHandle>
  /** The sessions under way of each note. */
  readonly sessions: Map<string, RecordingHandle[]>
}

function perform(act: Act, cast: Cast): void {
  if (act.do === 'revoke') {
    cast.keys.get(act.integration)?.revoke()
    return
  }
  if (act.do === 'record') {
    const { title, content, channel } = act
    const inChannel = channel === undefined ? undefined : cast.channels.get(channel)
    const session = cast.service.owner.record({ title, content, channel: inChannel })
    cast.notes.set(act.note, session.note)
    cast.sessions.set(act.note, [session])
    return
  }
  const note = cast.notes.get(act.note)
  // Its recording was not done, which has been told.
  if (note === undefined) return
  actOnNote(act, note, cast)
}

type NoteAct = Exclude<Act, { readonly do: 'record' | 'revoke' }>

function actOnNote(act: NoteAct, note: NoteHandle, { sessions, channels }: Cast): void {
  switch (act.do) {
    case 'record-again':
      sessions.get(act.note)?.push(note.record())
      return
    case 'end': {
      const session = sessions.get(act.note)?.shift()
      if (session === undefined) throw new Error('no recording session of the note is under way. Record again first.')
      session.end({ transcript: act.transcript, summary: act.summary })
      return
    }
    case 'edit':
      note.edit({ title: act.title, content: act.content })
      return
    case 'move':
      note.moveTo(channels.get(act.to) ?? 'personal')
      return
    case 'delete':
      note.delete()
  }
}

/** As anybody would: through the API, whatever variants and faults the scenario asks for. */
async function register(
  { fetch, baseUrl, apiKey }: NotesService,
  { url, events, integration }: PlannedEndpoint,
  keys: Stage['keys'],
): Promise<StagedEndpoint> {
  const key = integration === undefined ? apiKey : keys.get(integration)?.key
  const request = new Request(`${baseUrl}/v1/webhook-endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url, events }),
  })
  const response = await fetch(request).catch(() => undefined)
  if (response?.status === 201) return { url, signing_secret: (await response.json()).signing_secret }
  throw new ProgramError('misused', `the service refuses an endpoint of the scenario: ${await reasonIn(response)}`)
}

async function reasonIn(response: Response | undefined): Promise<string> {
  if (response === undefined) return 'a fault rule broke the connection. Let it strike other calls.'
  const answer: Partial<ApiErrorBody> = await response.json().catch(() => ({}))
  return answer.error?.message ?? `it answers ${response.status}.`
}
