import {
  callKeyOf,
  NOTE_EVENT_KINDS,
  type NoteHandlerParts,
  OptionError,
  partsOf,
  type WebhookEvent,
} from '@notewire/protocol'

type Handlers = Readonly<Record<string, unknown>>
type Call = (event: WebhookEvent, context: HandlerContext) => unknown

interface HandlerContext {
  readonly integration: string
  readonly logger: { warn(line: string): void }
}

/**
 * Refuses options in which a part of what `noteHandlers` returned is missing or replaced: events would be answered 204, and their notes would
 * not be copied. A function that calls the part it replaces is accepted. If it can pass on its arguments, nobody can tell in advance whether
 * it calls the part, or for which events: the first event that it leaves out is logged.
 *
 * @returns the handlers, unchanged if `noteHandlers` made none of them
 * @throws OptionError with the part
 */
export function withNoteHandlerParts<On extends object>(on: On, prepare: unknown, revisionGate: unknown): On {
  const handlers = on as Handlers
  const parts = partsOf(prepare) ?? NOTE_EVENT_KINDS.map((kind) => partsOf(handlers[kind])).find(Boolean)
  if (parts === undefined) return on
  refuseReplaced('prepare', prepare)
  if (revisionGate !== 'per-kind') {
    throw replaced('revisionGate', 'revisionGate must be the one that noteHandlers returned')
  }
  const own: Record<string, unknown> = { ...handlers }
  for (const kind of NOTE_EVENT_KINDS) {
    refuseReplaced('on', handlers[kind], kind)
    if (partsOf(handlers[kind]) === undefined) own[kind] = watched(handlers[kind] as Call, kind, parts)
  }
  return own as On
}

function refuseReplaced(option: string, part: unknown, kind?: string): void {
  if (partsOf(part) !== undefined) return
  const name = kind === undefined ? option : `the handler of ${kind}`
  if (typeof part !== 'function') throw replaced(option, `${name} is missing`)
  if (cannotCall(part, kind)) throw replaced(option, `${name} replaces the one of noteHandlers, and does not call it`)
}

/** Whether the source of a function shows that it passes on no event or no context. */
function cannotCall(part: { readonly length: number }, kind: string | undefined): boolean {
  const source = String(part)
  if (/\barguments\b|\[native code\]/.test(source)) return false
  const [head = '', list] = /^(?:async\s+)?([\w$]+)\s*=>/.exec(source) ?? /^[^(]*\(([^()]*)\)/.exec(source) ?? []
  // Defaults and rest parameters may take more than `length` says.
  if (list === undefined || /[=.]/.test(list)) return false
  // The handler of note.deleted alone could do without its context.
  const needsContext = kind !== 'note.deleted'
  if (part.length < (needsContext ? 2 : 1)) return true
  const [event = '', context = ''] = parametersIn(list)
  const body = source.slice(head.length)
  if (isName(event) && usesOf(event, body).length === 0) return true
  // A copy of the context needs one of these fields.
  if (!needsContext || /\b(?:prepared|applied)\b/.test(source)) return false
  return isName(context) ? !usesOf(context, body).includes('whole') : /^[{[]/.test(context)
}

function parametersIn(list: string): string[] {
  const parameters: string[] = []
  let depth = 0
  let start = 0
  for (let index = 0; index <= list.length; index += 1) {
    const character = list[index] ?? ','
    if ('{['.includes(character)) depth += 1
    if ('}]'.includes(character)) depth -= 1
    if (character !== ',' || depth > 0) continue
    parameters.push(list.slice(start, index).trim())
    start = index + 1
  }
  return parameters
}

function isName(parameter: string): boolean {
  return /^[\w$]+$/.test(parameter)
}

/** How a function uses a parameter: as a whole, or one of its fields. */
function usesOf(name: string, body: string): ('whole' | 'field')[] {
  return [...body.matchAll(/([\w$]+)(\s*(?:\?\.|\.|\[))?/g)]
    .filter(([, word]) => word === name)
    .map(([, , field]) => (field === undefined ? 'whole' : 'field'))
}

/** Calls a function that stands in place of a part, and logs the first event for which it has not called the part. */
function watched(handler: Call, kind: string, { calls }: NoteHandlerParts): Call {
  let isTold = false
  return (event, context) => {
    const key = callKeyOf(event, context)
    const check = () => {
      if (calls.get(key) !== false || isTold) return
      isTold = true
      context.logger.warn(
        `The handler of ${kind} did not call the one of noteHandlers for an event, so the note of this event was not copied. Further events ` +
          'that it leaves out are not logged.',
      )
    }
    const forget = () => calls.delete(key)
    calls.set(key, false)
    let result: unknown
    try {
      result = handler(event, context)
    } catch (error) {
      forget()
      throw error
    }
    // Synchronous handlers stay synchronous: a transaction of SQLite ends with them.
    if (typeof (result as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function') {
      return Promise.resolve(result as PromiseLike<unknown>)
        .then((value) => {
          check()
          return value
        })
        .finally(forget)
    }
    check()
    forget()
    return result
  }
}

function replaced(option: string, problem: string): OptionError {
  return new OptionError(
    option,
    `${problem}, so notes would not be copied. Spread ...noteHandlers(…) last, add handlers with on: { ...handlers.on, 'endpoint.test': f }, ` +
      'and let a function that replaces a handler call it.',
  )
}
