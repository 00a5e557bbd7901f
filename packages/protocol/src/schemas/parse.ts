import type * as z from 'zod/mini'
import { isEndpointEventKind, isNoteEventKind, type WebhookEvent } from '../event.ts'
import { NotewireError } from '../notewire-error.ts'
import { eventSchemas, unknownEventSchema } from './event.ts'

/** What came over the wire does not have the shape that the contract requires. */
export class ShapeError extends NotewireError<'shape_invalid'> {
  /** Where the first problem is: `data.note_id`, `notes[3].revision`. Empty when it is the whole. */
  readonly path: string

  constructor(path: string, message: string) {
    super('shape_invalid', message)
    this.path = path
  }
}

/**
 * Reads a value of the wire by its schema.
 *
 * @param what  names the value in the error: `a note`, `the webhook body`
 * @throws {@link ShapeError} naming the path of the first problem, and never the value found there
 */
export function parseShape<Shape>(schema: z.ZodMiniType<Shape>, value: unknown, what: string): Shape {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const path = pathText(issue?.path ?? [])
  const expected = issue !== undefined && 'expected' in issue ? `${issue.expected}` : 'a valid value'
  throw new ShapeError(
    path,
    `${what} is not as the contract says: ${path === '' ? 'it' : `"${path}"`} should be ${expected}.`,
  )
}

/**
 * Reads the body of a delivery (contract §6). Unknown kinds and unknown fields pass.
 *
 * @throws {@link ShapeError} when a required field is missing or of another type
 */
export function parseEvent(body: unknown): WebhookEvent {
  const kind = typeof body === 'object' && body !== null && 'event_type' in body ? body.event_type : undefined
  if (typeof kind === 'string' && (isNoteEventKind(kind) || isEndpointEventKind(kind))) {
    return parseShape<WebhookEvent>(eventSchemas[kind], body, `the ${kind} event`)
  }
  return parseShape(unknownEventSchema, body, 'the webhook body')
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? String(part) : `${text}.${String(part)}`
  }, '')
}
