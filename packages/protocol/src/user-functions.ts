import { NotewireError } from './errors.ts'

/**
 * Calls a function of the user that must not affect its caller, such as a hook. An error or a rejection of it is passed to `failed`, or
 * ignored.
 */
export function callHook<Notice>(
  hook: ((notice: Notice) => unknown) | undefined,
  notice: Notice,
  failed: (error: unknown) => void = () => undefined,
): void {
  if (hook === undefined) return
  try {
    // The rejection of an asynchronous hook would otherwise be unhandled.
    Promise.resolve(hook(notice)).catch(failed)
  } catch (error) {
    failed(error)
  }
}

/**
 * What a function may return that handles an event or a change: anything but a `Response`, or a promise of it. The value is ignored: only
 * an error or a rejection is a failure.
 */
export type NoResponse = NoResponseValue | PromiseLike<NoResponseValue>

// `redirected` is a property of every `Response` of the Fetch standard, and hardly of anything else.
type NoResponseValue =
  // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing has this type.
  | void
  | string
  | number
  | bigint
  | boolean
  | symbol
  | null
  | undefined
  | (object & { readonly redirected?: never; readonly then?: never })

/** @throws NotewireError `response_returned` if the value is a `Response`, of any realm or library */
export function refuseResponse(returned: unknown): void {
  if (Object.prototype.toString.call(returned) !== '[object Response]') return
  throw new NotewireError(
    'response_returned',
    'the function returned a Response, which is sent to nobody. Throw an error to report a failure, and return nothing otherwise.',
  )
}
