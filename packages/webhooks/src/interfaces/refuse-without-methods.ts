import { OptionError } from '@notewire/protocol'

/**
 * Refuses a value that lacks a method of an interface, such as the promise of a store, or a function that returns a store.
 *
 * @throws OptionError if `thing` lacks one of the methods
 */
export function refuseWithoutMethods<Thing extends object>(
  option: string,
  thing: Thing,
  methods: readonly (keyof Thing & string)[],
): void {
  const missing = methods.find((method) => typeof thing[method] !== 'function')
  if (missing === undefined) return
  throw new OptionError(
    option,
    `${option} has no method "${missing}". Pass an object with ${methods.join(', ')}, or omit it.`,
  )
}
