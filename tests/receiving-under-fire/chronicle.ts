import { openSync, readFileSync, writeSync } from 'node:fs'
import type { ProcessOutcome } from '@notewire/webhooks'
import type { Integration } from './integrations.ts'

/** What a worker writes about an event. */
export interface ChronicleEntry {
  /** The correct time, without the skew of the worker's clock. */
  readonly at: number
  readonly worker: string
  readonly integration: Integration
  readonly eventId: string
  /** The run of the handler, if one was called. */
  readonly run?: string | undefined
  /**
   * `begins`: the handler was called; `effect`: it has had an effect without a transaction; `ends`: it will
   * end next, and still has its claim. Otherwise the outcome.
   */
  readonly what: 'begins' | 'effect' | 'ends' | ProcessOutcome['status']
  /** Whether the receiver has opened a transaction for the run: its locks end when its worker is killed. */
  readonly inTransaction?: boolean | undefined
  /** The error of the outcome. */
  readonly problem?: string | undefined
}

/**
 * Opens a file to which many processes append lines. Appended lines survive the process, and are in the order of their
 * events.
 */
export function openChronicle(path: string): (entry: Omit<ChronicleEntry, 'at'>) => void {
  const file = openSync(path, 'a')
  // Each line begins with the line break, so that a line that SIGKILL truncated ends before the next one.
  return (entry) => void writeSync(file, `\n${JSON.stringify({ at: Date.now(), ...entry })}`)
}

export function readChronicle(path: string): readonly ChronicleEntry[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line): ChronicleEntry => JSON.parse(line))
}
