import { OptionError } from './options.ts'

/** What the functions that `noteHandlers` of `@notewire/client` returns have in common. */
export interface NoteHandlerParts {
  /**
   * For each event that a receiver gives to a function of the user in place of one of these, by `callKeyOf`: whether that function has called
   * one of these.
   */
  readonly calls: Map<string, boolean>
}

// Not a `WeakMap`, because a project may contain this package twice.
const PARTS = Symbol.for('notewire.noteHandlerParts')

/**
 * Marks a function as a part of what `noteHandlers` returned.
 *
 * @throws OptionError if `part` is not a function or is marked already, or if `parts` has no calls
 */
export function markAsPart<Part extends (...given: never[]) => unknown>(part: Part, parts: NoteHandlerParts): Part {
  if (typeof part !== 'function' || partsOf(part) !== undefined) {
    throw new OptionError('part', 'part is not a function, or is marked already. Pass a new function.')
  }
  if (!(parts?.calls instanceof Map))
    throw new OptionError('parts', 'parts has no calls. Pass what all the parts share.')
  return Object.defineProperty(part, PARTS, { value: parts })
}

/** The parts that a function belongs to, if `noteHandlers` made it. */
export function partsOf(part: unknown): NoteHandlerParts | undefined {
  return typeof part === 'function' ? (part as { readonly [PARTS]?: NoteHandlerParts })[PARTS] : undefined
}

/** What identifies the call of a handler. Integrations may process events with the same id at once. */
export function callKeyOf(
  event: { readonly event_id: string } | undefined,
  context: { readonly integration: string } | undefined,
): string {
  return JSON.stringify([context?.integration, event?.event_id])
}
