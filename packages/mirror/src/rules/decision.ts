import type { ContentWrite, NoteWrite } from '../stores/store.ts'
import type { NoteState } from './note-state.ts'

/** What is to become of a note. */
export interface Decision {
  readonly state: NoteState
  readonly content?: ContentWrite | undefined
  readonly announce?: NoteWrite['announce']
}
