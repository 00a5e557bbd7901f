import type { ContentPart } from '@notewire/mirror'
import type { ContractVariants } from '@notewire/mock-server'
import type { Random } from '../simulation/random.ts'
import { drawContract } from './contract-draw.ts'

/** How often, from 0 to 1, something goes wrong where it can. */
export interface FaultRates {
  /** The process dies at a call of the store. */
  readonly crash: number
  /** The process stands still, and time goes on. */
  readonly freeze: number
  /** A call of the store fails, before or after its effect, or takes effect long after it has failed. */
  readonly storeError: number
  /** A call of the store takes seconds. */
  readonly slowStore: number
  /** The service answers 429 or 5xx. */
  readonly refusal: number
  /** The connection breaks, before the service answers or after. */
  readonly reset: number
  /** No answer ever comes. */
  readonly silence: number
  /** The answer is cut off. */
  readonly truncation: number
  /** The answer is on its way for up to half a minute, before or after the service has looked. */
  readonly slowAnswer: number
  /** A request is answered by a replica that lags. */
  readonly laggingAnswer: number
  /** A record or a page is answered as it was a while ago. */
  readonly staleAnswer: number
  /** A listing is answered without any note, as if that were all. */
  readonly emptyList: number
  /** For a while, the service refuses the key. */
  readonly denial: number
  /** An event never arrives. */
  readonly lostEvent: number
  /** An event arrives several times. */
  readonly repeatedEvent: number
  /** An event arrives before reads show what it tells of. */
  readonly earlyEvent: number
  /** The owner does something to a note while the answer of a read of it is on its way. */
  readonly meddling: number
}

/** What is decided before a history begins. */
export interface Circumstances {
  readonly contract: ContractVariants
  /** Notes on a page, at most. */
  readonly pageSize: number
  readonly keep: readonly ContentPart[]
  readonly concurrency: number
  readonly scanEveryMs: number
  readonly pollEveryMs: number
  /** Whether the store hands out a number first and reads rows a moment later, as one on a server may. */
  readonly areLoadsInSteps: boolean
  /** By how much each replica of the service lags. */
  readonly lagsMs: readonly number[]
  /** By how much the clock of each instance is off. */
  readonly skewsMs: readonly number[]
  /** How long events are under way, at most. */
  readonly eventDelayMs: number
  readonly notesAtFirst: number
  /** How many notes leave at once, all without an event: more than a mirror may remove without being told. */
  readonly exodus: number
  /** Whether the key is replaced by another one of the same owner. */
  readonly isKeyReplaced: boolean
  /** Whether another mirror is kept in the same store. */
  readonly isOtherBeside: boolean
  /** Whether listings show deletion markers. */
  readonly areTombstonesListed: boolean
  readonly episodes: readonly Episode[]
  readonly rates: FaultRates
}

/** A while in which much happens at once. */
export interface Episode {
  /** How long after the one before. */
  readonly afterMs: number
  /** How far what happens in it is apart, at most. */
  readonly spreadMs: number
  readonly acts: number
  readonly jobs: number
  /** Whether nobody lists anything, so that events alone tell. */
  readonly isByEventsAlone: boolean
  readonly readings: number
}

/** Draws them, each history some and no history all: one fault that never stops hides what others do. */
export function drawCircumstances(random: Random): Circumstances {
  const rate = (...rates: readonly [number, ...number[]]) => (random.chance(0.65) ? 0 : random.pick(rates))
  const contract = drawContract(random)
  const isExodus = random.chance(0.008)
  return {
    contract,
    exodus: isExodus ? random.integer(61, 66) : 0,
    isKeyReplaced: random.chance(0.04),
    isOtherBeside: contract.repeatingCursor !== true && random.chance(0.05),
    areTombstonesListed: random.chance(0.93),
    lagsMs: [],
    pageSize: isExodus ? 100 : random.pick([1, 2, 2, 3, 3, 5, 100]),
    keep: random.pick([ALL, ALL, ALL, ALL, ALL, ['note'], ['transcript', 'summary'], []]),
    concurrency: random.pick([1, 2, 3, 8]),
    scanEveryMs: random.pick([60_000, 3_600_000, 86_400_000]),
    pollEveryMs: random.pick([10_000, 60_000, 300_000]),
    areLoadsInSteps: random.chance(0.15),
    skewsMs: Array.from({ length: random.pick([1, 1, 2, 2, 3]) }, () => random.pick([0, 0, drawSkew(random)])),
    eventDelayMs: random.pick([2, 20, 1_000, 20_000, 600_000, 90_000_000]),
    notesAtFirst: random.integer(0, 4),
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
      lostEvent: isExodus ? 1 : random.pick([0, 0.1, 0.5, 1]),
      repeatedEvent: random.pick([0, 0.1, 0.4]),
      earlyEvent: random.chance(0.85) ? 0 : 0.3,
      meddling: isExodus ? 0 : random.pick([0, 0.1, 0.3]),
    },
  }
}

/**
 * Draws the same for a service whose replicas lag: reads, listings and content alike, up to half a minute. What happens is close
 * together, so that it falls into the lag, and the clocks of instances agree with each other.
 */
export function drawLaggingCircumstances(random: Random): Circumstances {
  const drawn = drawCircumstances(random)
  const skewMs = random.pick([0, drawSkew(random)])
  return {
    ...drawn,
    exodus: 0,
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

function drawEpisode(random: Random, isByEventsAlone: boolean): Episode {
  return {
    isByEventsAlone,
    afterMs: random.integer(0, random.pick([50, 10_000, 120_000, 3_600_000, 90_000_000])),
    spreadMs: random.pick([0, 10, 40, 40, 150, 1_000, 40_000]),
    acts: isByEventsAlone ? random.pick([2, 3, 4]) : random.pick([0, 1, 2, 2, 3, 5]),
    jobs: random.pick([1, 1, 2, 2, 3]),
    readings: random.pick([0, 0, 1, 2]),
  }
}
