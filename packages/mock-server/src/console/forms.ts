import type { Context, Hono } from 'hono'
import type { ServiceParts } from '../api/service-parts.ts'
import { CONTROL_OPERATIONS, type ControlRoute } from '../control/control-operations.ts'
import type { ControlOperation, Id } from '../control/operation.ts'
import { MockServerError } from '../errors/mock-server-error.ts'

/** A form of the console: it performs an operation of the control API and shows another page. */
interface Form {
  readonly operation: ControlRoute
  /** The input of the operation. @default {} */
  readonly input?: (fields: Fields, id: Id) => object
  /** The path of the next page. `answer` holds the fields of the operation's answer that are texts. */
  readonly next: (answer: Readonly<Record<string, string>>, id: Id) => string
}

/** The forms of the console, by the path to which they are sent. */
export type Forms = Readonly<Record<`/console/${string}`, Form>>

/** The fields of a form. */
export interface Fields {
  /** The text of a field; empty when it was not sent. */
  text(name: string): string
  /** Every value of a field: the selected checkboxes. */
  all(name: string): readonly string[]
}

/** Answers the forms of the console. Parameters of an operation come from the path of the form, or from its fields. */
export function mountForms(pages: Hono, service: ServiceParts, forms: Forms): void {
  for (const [path, { operation, input, next }] of Object.entries(forms)) {
    const { perform }: ControlOperation = CONTROL_OPERATIONS[operation]
    pages.post(path, async (context) => {
      const fields = await fieldsOf(context)
      const id: Id = (name) => context.req.param(name) ?? fields.text(name)
      const answer = await perform(service, id, input?.(fields, id) ?? {})
      return context.redirect(next((answer ?? {}) as Readonly<Record<string, string>>, id), 303)
    })
  }
}

/** Reads a form. Browsers send line ends as CRLF, which become LF. */
async function fieldsOf(context: Context): Promise<Fields> {
  const form = await context.req.parseBody({ all: true }).catch(() => {
    throw new MockServerError('form_malformed', {
      problem: 'the form cannot be read',
      remedy: 'Send it from a page of the console. Programs use the control API.',
    })
  })
  const all = (name: string) =>
    [form[name] ?? []].flat().flatMap((value) => (typeof value === 'string' ? value.replaceAll('\r\n', '\n') : []))
  return { all, text: (name) => all(name)[0] ?? '' }
}
