import type { Clock } from '@notewire/protocol'
import { failureOf } from '../terminal/failure.ts'

/** The same problem is told again after this time, in milliseconds. */
const AGAIN_AFTER_MS = 60_000

/** Tells of problems that are lived with, each once a minute: a service that is down fails at every try. */
export function problemTeller(clock: Clock, warn: (text: string) => void): (error: unknown) => void {
  const toldAt = new Map<string, number>()
  return (error) => {
    const { code, message } = failureOf(error)
    const now = clock.now()
    if (now - (toldAt.get(code) ?? Number.NEGATIVE_INFINITY) < AGAIN_AFTER_MS) return
    toldAt.set(code, now)
    warn(`${message} It is tried again.`)
  }
}
