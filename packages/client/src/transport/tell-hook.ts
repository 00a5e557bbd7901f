/** Tells a hook, if there is one. Neither what it throws nor what it rejects with reaches the call. */
export function tellHook<Notice>(hook: ((notice: Notice) => unknown) | undefined, notice: Notice): void {
  if (hook === undefined) return
  try {
    // An asynchronous hook is a promise that nobody else would catch.
    Promise.resolve(hook(notice)).catch(() => undefined)
  } catch {
    // The hook's own trouble.
  }
}
