/** Whether a value is a promise, of whatever realm or library. */
export function isThenable<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return typeof (value as Partial<PromiseLike<Value>> | null | undefined)?.then === 'function'
}

/** Continues with a value: at once unless it is a promise, because every promise costs every delivery processor time. */
export function whenSettled<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  // `Promise.resolve` returns a promise of the runtime itself, and makes one of any other.
  return isThenable(value) ? Promise.resolve(value).then(next) : next(value)
}
