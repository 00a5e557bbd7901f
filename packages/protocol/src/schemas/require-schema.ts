import { OptionError } from '../options.ts'

/** @throws {@link OptionError} if the argument is no schema of zod */
export function requireSchema(caller: string, schema: unknown): void {
  if (Object(schema)._zod !== undefined) return
  throw new OptionError('schema', `${caller} needs a schema of zod, such as noteSchema of @notewire/protocol/schemas.`)
}
