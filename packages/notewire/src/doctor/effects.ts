import { setTimeout as pause } from 'node:timers/promises'
import { NotewireError } from '@notewire/protocol'
import type { Limits } from './limits.ts'

/** Counts how often an event was applied. */
export type CountApplied = (eventId: string) => number

/** What a receiver tells about what it has applied. */
export interface Effects {
  /** Reads it now. @throws {@link EffectsError} */
  readonly read: (signal: AbortSignal) => Promise<CountApplied>
}

/** The effects URL did not tell what it should. */
export class EffectsError extends NotewireError<'effects_unreadable'> {
  constructor(problem: string) {
    super(
      'effects_unreadable',
      `the effects URL ${problem}. Let it answer GET with JSON: a number, { "count": 3 }, an array of the ids of applied events, or { "event_ids": [] }.`,
    )
  }
}

const MAX_EFFECTS_BYTES = 8 * 1024 * 1024

/** The effects that a URL tells. */
export function effectsAt(url: URL): Effects {
  return {
    read: async (signal) => {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(10_000)])
      const response = await fetch(url, { redirect: 'manual', signal: limited }).catch((error: unknown) => {
        signal.throwIfAborted()
        throw new EffectsError(`could not be read (${error instanceof Error ? error.name : 'unknown error'})`)
      })
      if (response.status !== 200) throw new EffectsError(`answered ${response.status} instead of 200`)
      return readEffects(await readCapped(response))
    },
  }
}

/** Where and how long to look for effects. */
interface Watch {
  readonly effects: Effects
  readonly limits: Limits
  readonly signal: AbortSignal
}

/** How often an event was applied since an earlier reading: waits for that to show, and for a second time to show. */
export async function appliedSince(before: CountApplied, eventId: string, watch: Watch): Promise<number> {
  const { effects, limits, signal } = watch
  const giveUpAt = Date.now() + limits.effectWithinMs
  const isThere = async () => (await effects.read(signal))(eventId) > before(eventId)
  while (!(await isThere()) && Date.now() < giveUpAt) await pause(100, undefined, { signal })
  return await appliedOnceSettled(before, eventId, watch)
}

/** How often an event was applied since an earlier reading, where it should not have been at all. */
export async function appliedOnceSettled(
  before: CountApplied,
  eventId: string,
  { effects, limits, signal }: Watch,
): Promise<number> {
  await pause(limits.effectsSettleMs, undefined, { signal })
  return (await effects.read(signal))(eventId) - before(eventId)
}

/** Reads the text of an effects answer. */
export function readEffects(text: string): CountApplied {
  const value = parsed(text)
  if (typeof value === 'number') return () => value
  if (Array.isArray(value)) return (eventId) => value.filter((each) => each === eventId).length
  if (typeof value === 'object' && value !== null) {
    if ('event_ids' in value) return readEffects(JSON.stringify(value.event_ids))
    if ('count' in value) return readEffects(JSON.stringify(value.count))
  }
  throw new EffectsError('answered JSON of another shape')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new EffectsError('answered something that is not JSON')
  }
}

async function readCapped(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true })
    if (text.length > MAX_EFFECTS_BYTES) throw new EffectsError('answered more than 8 MiB')
  }
  return text
}
