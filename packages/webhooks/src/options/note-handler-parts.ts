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
 * not be copied. A function that calls the part it replaces is accepted. Whether it does shows at its first event, which fails otherwise.
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
  // The handler of note.deleted alone could do without its context.
  const needed = kind === 'note.deleted' ? 1 : 2
  if (takesFewer(part, needed)) throw replaced(option, `${name} replaces the one of noteHandlers, and does not call it`)
}

/** Whether a function cannot pass on the event and the context, because it does not take both. */
function takesFewer(part: { readonly length: number }, needed: number): boolean {
  if (part.length >= needed) return false
  const source = String(part)
  if (/\barguments\b|\[native code\]/.test(source)) return false
  if (/^(?:async\s+)?[\w$]+\s*=>/.test(source)) return needed > 1
  const list = /^[^(]*\(([^()]*)\)/.exec(source)?.[1]
  // Defaults, patterns and rest parameters may take more than `length` says.
  return list !== undefined && !/[=.{[]/.test(list)
}

/**
 * Calls a function that stands in place of a part, and fails if it has not called the part. A function that has called it before is a wrapper
 * that leaves out some events, which only a log line tells.
 */
function watched(handler: Call, kind: string, { calls }: NoteHandlerParts): Call {
  let isWrapper = false
  return (event, context) => {
    const key = callKeyOf(event, context)
    const check = () => {
      isWrapper ||= calls.get(key) === true
      const isSkipped = calls.get(key) === false
      calls.delete(key)
      if (!isSkipped) return
      const problem = `the handler of ${kind} did not call the one of noteHandlers`
      if (!isWrapper) throw replaced('on', problem)
      context.logger.warn(`For this event, ${problem}. The event was skipped.`)
    }
    calls.set(key, false)
    let result: unknown
    try {
      result = handler(event, context)
    } catch (error) {
      calls.delete(key)
      throw error
    }
    // Synchronous handlers stay synchronous: a transaction of SQLite ends with them.
    if (typeof (result as Partial<PromiseLike<unknown>> | null | undefined)?.then !== 'function') {
      check()
      return result
    }
    return Promise.resolve(result).then(
      (value) => {
        check()
        return value
      },
      (error: unknown) => {
        calls.delete(key)
        throw error
      },
    )
  }
}

function replaced(option: string, problem: string): OptionError {
  return new OptionError(
    option,
    `${problem}, so notes would not be copied. Spread ...noteHandlers(…) last, add handlers with on: { ...handlers.on, 'endpoint.test': f }, ` +
      'and let a function that replaces a handler call it for every event.',
  )
}
