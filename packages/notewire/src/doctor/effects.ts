import { CommandError } from '../errors/failure.ts'

export type CountApplied = (eventId: string) => number

/** Reads what the receiver has applied so far. @throws CommandError `effects_unreadable` */
export type Effects = (signal: AbortSignal) => Promise<CountApplied>

export function effectsAt(url: URL): Effects {
  return async (signal) => {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(10_000)])
    try {
      const response = await fetch(url, { redirect: 'manual', signal: limited })
      if (response.status !== 200) throw unreadable(`answered ${response.status} instead of 200`)
      return readEffects(await response.json())
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof CommandError) throw error
      throw unreadable(problemOf(error))
    }
  }
}

function problemOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'answered something that is not JSON'
  return `could not be read (${error instanceof Error ? error.name : 'unknown error'})`
}

export function readEffects(value: unknown): CountApplied {
  const isObject = typeof value === 'object' && value !== null
  const ids = isObject && 'event_ids' in value ? value.event_ids : value
  if (Array.isArray(ids)) return (eventId) => ids.filter((each) => each === eventId).length
  const count = isObject && 'count' in value ? value.count : value
  if (typeof count === 'number') return () => count
  throw unreadable('answered JSON of another shape')
}

function unreadable(problem: string): CommandError {
  return new CommandError(
    'effects_unreadable',
    `the effects URL ${problem}. It must answer GET with JSON: a number, { "count": 3 }, an array of the IDs of applied events, or { "event_ids": [] }.`,
  )
}
