import * as z from 'zod/mini'
import type { ServiceParts } from '../api/service-parts.ts'
import { checked } from '../errors/checked.ts'
import { MockServerError } from '../errors/mock-server-error.ts'

/** An operation of the control API. The forms of the console perform the same operations. */
export interface ControlOperation {
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
type Answer = object | undefined

export interface Call<Input> extends ServiceParts {
  readonly id: Id
  readonly input: Input
}

export function operation<Schema extends z.ZodMiniType = z.ZodMiniType<undefined>>({
  run,
  ...described
}: Omit<ControlOperation, 'input' | 'perform'> & {
  readonly input?: Schema
  readonly run: (call: Call<z.output<Schema>>) => Answer | Promise<Answer>
}): ControlOperation {
  const schema: z.ZodMiniType = described.input ?? z.transform(() => undefined)
  return {
    ...described,
    perform: (service, id, input) =>
      run({ ...service, id, input: checked('the request', schema, input) as z.output<Schema> }),
  }
}

type UnknownCode = 'delivery_unknown' | 'endpoint_unknown' | 'fault_unknown' | 'key_unknown' | 'request_unknown'

export function unknown(code: UnknownCode, what: string): MockServerError {
  const remedy = 'It may have been deleted. Pass an identifier that this service listed.'
  return new MockServerError(code, `this service has no ${what}`, remedy)
}

const countFrom0 = z.coerce.number().check(z.minimum(0), z.multipleOf(1))

export const paging = {
  limit: z._default(countFrom0, 50).check(z.describe('How many to list at most.')),
  skip: z._default(countFrom0, 0).check(z.describe('How many of the newest to skip.')),
}

export const ownerFilter = { owner_id: z.optional(z.string()).check(z.describe('Only of this owner.')) }

export const ownerOrFirst = { owner_id: z.optional(z.string()).check(z.describe('Default: the first owner.')) }

export function timestamp(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
