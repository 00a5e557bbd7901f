import type { ContractVariants } from '@notewire/mock-server'

/**
 * What was seen of an open point.
 *
 * - `default`: it is as Notewire takes it to be
 * - `alternative`: it is otherwise, and Notewire copes: by itself, or by an option
 * - `incompatible`: it is otherwise, and something does not work
 * - `unseen`: it could not be seen; `seen` says why
 */
export type PointVerdict = 'default' | 'alternative' | 'incompatible' | 'unseen'

/** One open point, as far as it was seen. */
export interface ProbedPoint {
  /** The row of `open-points.md`; `null` for what is no row of it, and worth knowing. */
  readonly row: number | null
  readonly title: string
  readonly verdict: PointVerdict
  /** What was seen, in words. Never a word of a note. */
  readonly seen: string
  /** What that means for client and mirror, and which option to set; empty where there is nothing to say. */
  readonly advice: string
  /** The variants of the reference service that play it. */
  readonly contract: ContractVariants
}

/** What a point is about. */
export type PointSubject = Pick<ProbedPoint, 'row' | 'title'>

/** A point that is as Notewire takes it to be. */
export function asDefault(subject: PointSubject, seen: string, advice = ''): ProbedPoint {
  return { ...subject, verdict: 'default', seen, advice, contract: {} }
}

/** A point that is otherwise, and that Notewire copes with. */
export function otherwise(
  subject: PointSubject,
  seen: string,
  advice: string,
  contract: ContractVariants = {},
): ProbedPoint {
  return { ...subject, verdict: 'alternative', seen, advice, contract }
}

/** A point that is otherwise, and that something does not work with. */
export function incompatible(
  subject: PointSubject,
  seen: string,
  advice: string,
  contract: ContractVariants = {},
): ProbedPoint {
  return { ...subject, verdict: 'incompatible', seen, advice, contract }
}

/** A point that could not be seen. */
export function unseen(subject: PointSubject, why: string): ProbedPoint {
  return { ...subject, verdict: 'unseen', seen: why, advice: '', contract: {} }
}
