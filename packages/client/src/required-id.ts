import { OptionError } from '@notewire/protocol'

/**
 * An id that can stand in a path.
 *
 * @throws `OptionError` for one that would name another path: an empty one, `.`, `..`, or what is not text at all
 */
export function requireId(name: string, id: unknown): string {
  if (typeof id === 'string' && id !== '' && id !== '.' && id !== '..' && id.isWellFormed()) return id
  const given = typeof id === 'string' ? JSON.stringify(id) : typeof id
  throw new OptionError(name, `${name} cannot be ${given}. Pass the id as the service gave it.`)
}
