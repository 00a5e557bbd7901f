/** Calls a hook, if there is one. The call of the client ignores its errors. */
export function tellHook<Notice>(hook: ((notice: Notice) => unknown) | undefined, notice: Notice): void {
  if (hook === undefined) return
  try {
    // The rejection of an asynchronous hook would otherwise be unhandled.
    Promise.resolve(hook(notice)).catch(() => undefined)
  } catch {
    // The call continues.
  }
}
