import { NOTE_EVENT_KINDS, type NoteHandlerParts, OptionError, partsOf, type WebhookEvent } from '@notewire/protocol'

type Handlers = Readonly<Record<string, unknown>>
type Call = (event: WebhookEvent, context: unknown) => unknown

/**
 * Refuses options in which a part of what `noteHandlers` returned is missing or replaced: events would be answered 204, and their notes would
 * not be copied. A function that calls the part it replaces is accepted. Whether it does shows at each event, which fails otherwise.
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
  if (takesNothing(part)) throw replaced(option, `${name} replaces the one of noteHandlers, and does not call it`)
}

/** Whether a function cannot pass on an event, because it does not get one. */
function takesNothing(part: { readonly length: number }): boolean {
  return (
    part.length === 0 &&
    /^(?:async\s*)?(?:function\b[^(]*)?\(\s*\)(?!.*(?:\barguments\b|\[native code\]))/s.test(String(part))
  )
}

/** Calls a function that stands in place of a part, and fails if it has not called the part. */
function watched(handler: Call, kind: string, { calls }: NoteHandlerParts): Call {
  return (event, context) => {
    const { event_id: id } = event
    const check = () => {
      const isCalled = calls.get(id)
      calls.delete(id)
      if (isCalled === false) throw replaced('on', `the handler of ${kind} did not call the one of noteHandlers`)
    }
    calls.set(id, false)
    let result: unknown
    try {
      result = handler(event, context)
    } catch (error) {
      calls.delete(id)
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
        calls.delete(id)
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
