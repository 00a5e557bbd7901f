/** The callback of a statement. */
export type Callback = (...results: readonly unknown[]) => void

/** The callback among the arguments of `query`, or in its first one, and the arguments with another in its place. */
export function callbackIn(given: readonly unknown[]) {
  const place = given.findIndex((each) => typeof each === 'function')
  const config = given[0] as { readonly callback?: unknown } | null | undefined
  if (place !== -1) {
    return {
      callback: given[place] as Callback,
      withCallback: (callback: Callback) => given.with(place, callback),
    }
  }
  return {
    callback: typeof config?.callback === 'function' ? (config.callback as Callback) : undefined,
    // Its text may be a getter of its class.
    withCallback: (callback: Callback) =>
      given.with(0, Object.create(config ?? null, { callback: { value: callback, writable: true } })),
  }
}

/** Whether a method of a driver or of a library has returned a promise. */
export function isPromise(result: unknown): result is PromiseLike<unknown> {
  return typeof (result as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function'
}

/** A cursor, a stream of rows, or a `Query`: an object that `pg` lets send itself. */
export interface Submittable {
  submit(...given: never): unknown
  /** In a stream. */
  readonly destroyed?: unknown
  /** In a cursor. */
  readonly state?: unknown
}

/** Whether the first argument of `query` submits itself. */
export function isSubmittable(statement: unknown): statement is Submittable {
  return typeof (statement as Partial<Submittable> | null | undefined)?.submit === 'function'
}

/** Whether the handler has closed it, so that it ends soon. */
export function isClosed({ destroyed, state }: Submittable): boolean {
  return destroyed === true || state === 'done'
}

/** The text of a statement; empty if it has none. */
export function textOf(statement: unknown): string {
  const text: unknown = typeof statement === 'string' ? statement : (statement as { text?: unknown } | null)?.text
  return typeof text === 'string' ? text : ''
}
