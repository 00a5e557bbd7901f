import { OptionError } from '@notewire/protocol'
import { type CallOptions, callSettings } from '../options/call-options.ts'
import { type ClientSettings, notText } from '../options/notes-client-options.ts'
import { type Answer, sendCall } from './call.ts'
import type { Operation } from './operation.ts'
import { refusalOf } from './refusal.ts'

/** Sends calls to the service, and throws typed errors. */
export interface Transport {
  /** The header `Date` of the latest answer. */
  readonly date: string | null
  /**
   * @throws `NotesClientError`, the signal's reason, or `OptionError` for an id that is not valid in a path
   */
  call(operation: Operation, parameters: CallParameters, options: CallOptions): Promise<Answer>
}

/** The arguments of one call of an operation. */
interface CallParameters {
  /** Replaces the name in braces in the operation's path. */
  readonly id?: string
  readonly query?: URLSearchParams
  readonly body?: object
}

/** Counts the calls of all clients, so that hooks that several clients share can tell calls apart. */
let calls = 0

export function createTransport(settings: ClientSettings): Transport {
  let date: string | null = null
  return {
    get date() {
      return date
    },
    async call(operation, { id, query, body }, options) {
      const [start, name, end = ''] = operation.path.split(/[{}]/)
      const path = name === undefined ? start : `${start}${encodeURIComponent(requireId(name, id))}${end}`
      const url = `${settings.baseUrl}${path}${query === undefined ? '' : `?${query}`}`

      const settled = callSettings(options, settings)
      settled.signal?.throwIfAborted()
      calls += 1
      const call = { callId: calls, operation, url, body, ...settled }
      const answer = await sendCall(settings, call)
      date = answer.headers.get('date')
      const refusal = refusalOf(answer, settings.apiKey)
      if (refusal !== undefined) throw refusal
      return answer
    },
  }
}

/**
 * Checks an id that becomes part of a path.
 *
 * @throws `OptionError` if it is not a string, or would change the path: empty, `.` or `..`
 */
export function requireId(name: string, id: unknown): string {
  if (typeof id === 'string' && id !== '' && id !== '.' && id !== '..' && id.isWellFormed()) return id
  throw new OptionError(name, `${name} ${problemOf(id)}. Pass the id as the service gave it.`)
}

function problemOf(id: unknown): string {
  if (id === undefined || id === null) return 'is missing'
  if (typeof id === 'object' && 'note_id' in id) return 'is an object, not the note_id of it'
  if (typeof id !== 'string') return notText(id)
  if (id === '') return 'is empty'
  return id.isWellFormed() ? 'is "." or "..", which would address another path' : 'is not well-formed Unicode'
}
