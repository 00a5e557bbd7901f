import { OptionError } from '@notewire/protocol'

/**
 * Checks an id that becomes part of a path.
 *
 * @throws `OptionError` if it is not a string, or would change the path: empty, `.` or `..`
 */
export function requireId(name: string, id: unknown): string {
  if (typeof id === 'string' && id !== '' && id !== '.' && id !== '..' && id.isWellFormed()) return id
  throw new OptionError(name, `${name} ${problemOf(id)}. Pass the id as the service gave it.`)
}

function problemOf(id: unknown): string {
  if (id === undefined || id === null) return 'is missing'
  if (typeof id !== 'string') return `is not a string but ${typeof id}`
  if (id === '') return 'is empty'
  return id.isWellFormed() ? 'is "." or "..", which would address another path' : 'is not well-formed Unicode'
}
