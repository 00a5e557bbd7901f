import { openSync, readFileSync, writeSync } from 'node:fs'
import type { ProcessOutcome } from '@notewire/webhooks'
import type { Integration } from './integrations.ts'

/** What a worker tells of an event. */
export interface Moment {
  /** By the right clock. */
  readonly at: number
  readonly worker: string
  readonly integration: Integration
  readonly eventId: string
  /** Of the handler, where one has run. */
  readonly run?: string | undefined
  /**
   * `begins`: the handler has been called; `effect`: it has had an effect outside of any transaction; `leaves`: it is
   * about to end, and still holds its claim. Otherwise the outcome.
   */
  readonly what: 'begins' | 'effect' | 'leaves' | ProcessOutcome['status']
  /** What went wrong. */
  readonly problem?: string | undefined
}

/**
 * Opens a file to which many processes append lines. What was appended survives the process, and the lines stand in the
 * order of what they tell.
 */
export function openChronicle(path: string): (moment: Omit<Moment, 'at'>) => void {
  const file = openSync(path, 'a')
  // A line that SIGKILL has torn ends where the next one begins.
  return (moment) => void writeSync(file, `\n${JSON.stringify({ at: Date.now(), ...moment })}`)
}

export function readChronicle(path: string): readonly Moment[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line): Moment => JSON.parse(line))
}
