import { NotewireError } from '@notewire/protocol'
import type { Context } from 'hono'

/** What a form sent. */
export interface Fields {
  /** A field's text; empty when it was not sent. */
  text(name: string): string
  /** Everything that was sent under a name: ticked boxes. */
  all(name: string): readonly string[]
}

/** Reads a form. Line ends are those of the browser, which are not those of the text. */
export async function fieldsOf(context: Context): Promise<Fields> {
  const form = await context.req.parseBody({ all: true }).catch(() => {
    throw new NotewireError('form_malformed', 'the form cannot be read. Send it from a page of the console.')
  })
  const all = (name: string) =>
    [form[name] ?? []].flat().flatMap((value) => (typeof value === 'string' ? value.replaceAll('\r\n', '\n') : []))
  return { all, text: (name) => all(name)[0] ?? '' }
}

/** Nothing typed is nothing. */
export function textOrNull(text: string): string | null {
  return text === '' ? null : text
}
