import * as z from 'zod/mini'
import type { ServiceParts } from '../api/service-parts.ts'
import { checked } from '../errors/checked.ts'
import { MockServerError } from '../errors/mock-server-error.ts'

/** An operation of the control API. The console makes its forms from the operations, and performs them. */
export interface ControlOperation<Answer extends object | undefined = object | undefined> {
  /** A sentence without a period; the console shows it on the button. */
  readonly summary: string
  /** The status of a success. 204 has no body. @default 200 */
  readonly status?: 201 | 202 | 204
  /** The schema of the JSON body, or of the query for `GET`. */
  readonly input?: z.ZodMiniType
  /**
   * Checks the input, performs the operation, and returns the body of the answer.
   *
   * @param id  a parameter of the path
   * @throws {@link MockServerError} when the input is wrong, or names something that does not exist
   */
  readonly perform: (service: ServiceParts, id: Id, input: unknown) => Answer | Promise<Answer>
}

type Id = (name: string) => string

export interface Call<Input> extends ServiceParts {
  readonly id: Id
  readonly input: Input
}

export function operation<Answer extends object | undefined, Schema extends z.ZodMiniType = z.ZodMiniType<undefined>>({
  run,
  ...described
}: Omit<ControlOperation, 'input' | 'perform'> & {
  readonly input?: Schema
  readonly run: (call: Call<z.output<Schema>>) => Answer | Promise<Answer>
}): ControlOperation<Answer> {
  const schema: z.ZodMiniType = described.input ?? z.transform(() => undefined)
  return {
    ...described,
    perform: (service, id, input) =>
      run({ ...service, id, input: checked('the request', schema, input) as z.output<Schema> }),
  }
}

type Kind = 'delivery' | 'endpoint' | 'fault' | 'key' | 'note' | 'request'

/** @throws {@link MockServerError} `delivery_unknown` and the like, if nothing was found */
export function known<Found>(kind: Kind, id: string | undefined, found: Found | undefined): Found {
  if (found !== undefined) return found
  const remedy = 'It may have been deleted. Pass an identifier that this service listed.'
  throw new MockServerError(`${kind}_unknown`, `this service has no ${kind} ${id}`, remedy)
}

export const ownerFilter = { owner_id: z.optional(z.string()).check(z.describe('Only of this owner.')) }

export const ownerOrFirst = { owner_id: z.optional(z.string()).check(z.describe('Default: the first owner.')) }

export function timestamp(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
