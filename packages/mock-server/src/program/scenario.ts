import type { NoteEventKind, Scope } from '@notewire/protocol'
import type { Duration } from '../clock/duration.ts'
import type { NotesServiceOptions } from '../service-options.ts'

/** A scenario file: what a service is made with, who is there, and what happens when. Its form is `scenario.schema.json`. */
export interface ScenarioFile {
  readonly service: NotesServiceOptions
  /** Names of channels. */
  readonly channels: readonly string[]
  readonly integrations: readonly PlannedIntegration[]
  readonly endpoints: readonly PlannedEndpoint[]
  /** In order of time. */
  readonly acts: readonly Act[]
}

/** An integration that the owner has, with a key of its own. */
export interface PlannedIntegration {
  readonly name: string
  /** The names of the channels that it sees, or nothing for the personal notes. */
  readonly channels: readonly string[] | undefined
  readonly scopes: readonly Scope[]
}

/** An endpoint that is registered at the start. */
export interface PlannedEndpoint {
  readonly url: string
  readonly events: readonly NoteEventKind[]
  /** Whose it is, or nothing for the integration of the service's own key. */
  readonly integration: string | undefined
}

/** Something that the owner does. Notes are named by labels of the file. */
export type Act = { readonly at: Duration } & (
  | {
      readonly do: 'record'
      readonly note: string
      readonly title?: string
      readonly content?: string
      readonly channel?: string
    }
  | { readonly do: 'record-again'; readonly note: string }
  | {
      readonly do: 'end'
      readonly note: string
      readonly transcript?: readonly SpokenWords[]
      readonly summary?: string | false
    }
  | { readonly do: 'edit'; readonly note: string; readonly title?: string; readonly content?: string }
  | { readonly do: 'move'; readonly note: string; readonly to: string }
  | { readonly do: 'delete'; readonly note: string }
  | { readonly do: 'revoke'; readonly integration: string }
)

/** Something that was said in a session. */
export interface SpokenWords {
  readonly speaker?: string | null
  readonly text: string
}
