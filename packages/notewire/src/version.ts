import { createRequire } from 'node:module'

/** The version of this package, from its own name, which leads to the same file from the sources and from the published code. */
export function versionOfProgram(): string {
  return createRequire(import.meta.url)('notewire/package.json').version
}
