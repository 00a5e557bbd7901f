// Taken when the module is loaded, so that it works under fake timers. Workers may lack it.
const setImmediate: typeof globalThis.setImmediate | undefined = globalThis.setImmediate

/** Lets the event loop run everything that is ready, such as responses that have arrived. */
export async function turn(): Promise<void> {
  if (setImmediate !== undefined) await new Promise<void>((resolve) => setImmediate(resolve))
}
