import type { ContentPart } from '@notewire/mirror'
import type { ContractVariants } from '@notewire/mock-server'
import type { Random } from '../simulation/random.ts'
import { type CursorRefusal, drawContract, drawCursorRefusal } from './contract-draw.ts'

/** The probability of each fault, from 0 to 1, wherever it can happen. */
export interface FaultRates {
  /** The process dies at a call of the store. */
  readonly crash: number
  /** The process freezes while time continues. */
  readonly freeze: number
  /** A call of the store fails: before its effect, after it, or long before it. */
  readonly storeError: number
  /** A call of the store takes seconds. */
  readonly slowStore: number
  /** The service answers 429 or 5xx. */
  readonly refusal: number
  /** The connection is reset, before or after the service has answered. */
  readonly reset: number
  /** The request is never answered. */
  readonly silence: number
  /** The response body is truncated. */
  readonly truncation: number
  /** A request and its answer take up to half a minute. */
  readonly slowAnswer: number
  /** A lagging replica answers. */
  readonly laggingAnswer: number
  /** An earlier answer to the same request is repeated. */
  readonly staleAnswer: number
  /** A listing is answered with an empty last page. */
  readonly emptyList: number
  /** The service rejects the key for a while. */
  readonly denial: number
  /** An event never arrives. */
  readonly lostEvent: number
  /** An event arrives several times. */
  readonly repeatedEvent: number
  /** An event arrives before the change that it announces. */
  readonly earlyEvent: number
  /** A record of a note in an answer has no usable identifier or revision. */
  readonly unusableRecord: number
  /** The owner changes a note while the answer to a read of it is in transit. */
  readonly changeDuringRead: number
  /** The service forgets a cursor for ever when it is used. */
  readonly forgottenCursor: number
}

/** The parameters of a history, drawn before it begins. */
export interface Scenario {
  readonly contract: ContractVariants
  /** The answer to a cursor that the service has forgotten, or that has expired. */
  readonly cursorRefusal: CursorRefusal
  /** The maximum number of notes on a page. */
  readonly pageSize: number
  readonly keep: readonly ContentPart[]
  readonly concurrency: number
  readonly fullListingEveryMs: number
  readonly pollEveryMs: number
  /** Whether `load` returns a sequence number that was advanced before the rows were read, as a store on a server may do. */
  readonly loadsInSteps: boolean
  /** The lag of each replica of the service. */
  readonly lagsMs: readonly number[]
  /** The clock skew of each instance. */
  readonly skewsMs: readonly number[]
  /** The maximum delay of events. */
  readonly eventDelayMs: number
  readonly initialNotes: number
  /** The number of notes that leave together without events: more than a mirror may remove without `acceptRemovals`; or 0. */
  readonly massRemoval: number
  /** Whether the key is replaced by another key of the same owner. */
  readonly isKeyReplaced: boolean
  /** Whether the store contains another mirror. */
  readonly hasOtherMirror: boolean
  /** Whether listings contain tombstones. */
  readonly areTombstonesListed: boolean
  readonly episodes: readonly Episode[]
  readonly rates: FaultRates
}

/** A period in which acts and jobs overlap. */
export interface Episode {
  /** The time since the beginning of the previous episode. */
  readonly afterMs: number
  /** The length of the episode. */
  readonly spreadMs: number
  readonly acts: number
  readonly jobs: number
  /** Whether there are no listings, so that the mirror depends on events. */
  readonly eventsOnly: boolean
  readonly feedReads: number
}

/** Draws the parameters of a history. No history has all faults, because a permanent fault would hide the effects of others. */
export function drawScenario(random: Random): Scenario {
  const rate = (...rates: readonly [number, ...number[]]) => (random.chance(0.65) ? 0 : random.pick(rates))
  const contract = drawContract(random)
  const isMassRemoval = random.chance(0.008)
  return {
    contract,
    cursorRefusal: drawCursorRefusal(random),
    massRemoval: isMassRemoval ? random.integer(61, 66) : 0,
    isKeyReplaced: random.chance(0.04),
    hasOtherMirror: contract.repeatingCursor !== true && random.chance(0.05),
    areTombstonesListed: random.chance(0.93),
    lagsMs: [],
    pageSize: isMassRemoval ? 100 : random.pick([1, 2, 2, 3, 3, 5, 100]),
    keep: random.pick([ALL, ALL, ALL, ALL, ALL, ['note'], ['transcript', 'summary'], []]),
    concurrency: random.pick([1, 2, 3, 8]),
    fullListingEveryMs: random.pick([60_000, 3_600_000, 86_400_000]),
    pollEveryMs: random.pick([10_000, 60_000, 300_000]),
    loadsInSteps: random.chance(0.15),
    skewsMs: Array.from({ length: random.pick([1, 1, 2, 2, 3]) }, () => random.pick([0, 0, drawSkew(random)])),
    eventDelayMs: random.pick([2, 20, 1_000, 20_000, 600_000, 90_000_000]),
    initialNotes: random.integer(0, 4),
    episodes: [
      ...Array.from({ length: random.pick([1, 1, 2, 2, 3, 4]) }, () => drawEpisode(random, false)),
      drawEpisode(random, random.chance(0.6)),
    ],
    rates: {
      crash: rate(0.003, 0.01, 0.04),
      freeze: rate(0.003, 0.01),
      storeError: rate(0.005, 0.02),
      slowStore: rate(0.01, 0.05),
      refusal: rate(0.02, 0.1, 0.3),
      reset: rate(0.02, 0.1),
      silence: rate(0.01, 0.03),
      truncation: rate(0.02),
      slowAnswer: rate(0.02, 0.1, 0.3),
      laggingAnswer: 0,
      staleAnswer: rate(0.1, 0.3) / 2,
      emptyList: contract.noteOperation === 'absent' || random.chance(0.7) ? 0 : rate(0.05, 0.3),
      denial: rate(0.01),
      lostEvent: isMassRemoval ? 1 : random.pick([0, 0.1, 0.5, 1]),
      repeatedEvent: random.pick([0, 0.1, 0.4]),
      earlyEvent: random.chance(0.85) ? 0 : 0.3,
      changeDuringRead: isMassRemoval ? 0 : random.pick([0, 0.1, 0.3]),
      unusableRecord: isMassRemoval ? 0 : rate(0.05, 0.3),
      forgottenCursor: rate(0.1, 0.4),
    },
  }
}

/**
 * Draws the parameters of a history with replicas that lag by up to half a minute, in reads, listings and content. Episodes are short, so that
 * changes fall into the lag, and the clocks of the instances differ by seconds only.
 */
export function drawLaggingScenario(random: Random): Scenario {
  const drawn = drawScenario(random)
  const skewMs = random.pick([0, drawSkew(random)])
  return {
    ...drawn,
    massRemoval: 0,
    isKeyReplaced: false,
    lagsMs: random.pick([[30_000], [15_000, 30_000], [random.integer(1, 30_000)], [5_000, 20_000, 29_999]]),
    skewsMs: drawn.skewsMs.map(() => skewMs + random.integer(-5_000, 5_000)),
    eventDelayMs: random.pick([2, 1_000, 20_000, 60_000]),
    episodes: drawn.episodes.map((episode) => ({
      ...episode,
      spreadMs: random.pick([1_000, 20_000, 60_000, 120_000]),
      acts: episode.acts + 1,
      jobs: episode.jobs + 2,
    })),
    rates: {
      ...drawn.rates,
      laggingAnswer: random.pick([0.1, 0.4, 0.8]),
      lostEvent: random.pick([0, 0, 0.1, 0.5]),
      staleAnswer: 0,
    },
  }
}

const ALL: readonly ContentPart[] = ['note', 'transcript', 'summary']

function drawSkew(random: Random): number {
  return random.integer(-600_000, 600_000)
}

function drawEpisode(random: Random, eventsOnly: boolean): Episode {
  return {
    eventsOnly,
    afterMs: random.integer(0, random.pick([50, 10_000, 120_000, 3_600_000, 90_000_000])),
    spreadMs: random.pick([0, 10, 40, 40, 150, 1_000, 40_000]),
    acts: eventsOnly ? random.pick([2, 3, 4]) : random.pick([0, 1, 2, 2, 3, 5]),
    jobs: random.pick([1, 1, 2, 2, 3]),
    feedReads: random.pick([0, 0, 1, 2]),
  }
}
