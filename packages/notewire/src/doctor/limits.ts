import { RECEIVER_DEADLINE_MS } from '@notewire/protocol'

/** The times that an examination goes by. */
export interface Limits {
  /** How long the service waits for an answer (contract §8), in milliseconds. */
  readonly answerWithinMs: number
  /** Longer than this is too near to that, in milliseconds. */
  readonly answerSoonMs: number
  /** The longest that the whole examination may take, in milliseconds. */
  readonly totalMs: number
  /** After so many deliveries without an answer, the examination ends. */
  readonly unansweredAllowed: number
  /** How long to wait for an effect to show, in milliseconds. */
  readonly effectWithinMs: number
  /** How long a second effect may lag behind the first, in milliseconds. */
  readonly effectsSettleMs: number
}

/** What the contract says, and what a person waits for. */
export const DEFAULT_LIMITS: Limits = {
  answerWithinMs: RECEIVER_DEADLINE_MS,
  answerSoonMs: RECEIVER_DEADLINE_MS - 2_000,
  totalMs: 300_000,
  unansweredAllowed: 5,
  effectWithinMs: 5_000,
  effectsSettleMs: 500,
}
