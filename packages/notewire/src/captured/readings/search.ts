import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { Difference, Reading } from './difference.ts'

/** All that may have been signed, by what, and all that may be the signature of it. */
export interface SearchSpace {
  /** What may stand before the body in the signed content. */
  readonly prefixes: readonly Reading<string>[]
  readonly bodies: Iterable<Reading<Uint8Array>>
  readonly keys: readonly Reading<CandidateKey>[]
  readonly signatures: readonly Reading<string>[]
}

/** A key, and the number of the secret it comes from, from 0. */
export interface CandidateKey {
  readonly key: Uint8Array
  readonly secretIndex: number
}

/** A set of differences with which the signature is right. */
export interface Match {
  readonly secretIndex: number
  readonly differences: readonly Difference[]
}

/** How much may be hashed in search of an explanation, in bytes: a fraction of a second. */
const MOST_HASHED_BYTES = 128 * 1024 * 1024
/** What one HMAC costs, in bytes of hashing. */
const HMAC_BYTES = 512

const MOST_MATCHES = 3

/**
 * Looks for what makes the signature right with the fewest differences. A match is proof: nobody meets a signature by chance.
 *
 * @returns all matches with that number of differences, at most three; none, when nothing that was tried explains the signature
 */
export function searchMatches(space: SearchSpace): readonly Match[] {
  const expected = new Map<string, readonly Difference[]>()
  for (const { value, differences } of byCost(space.signatures)) {
    if (!expected.has(value)) expected.set(value, differences)
  }
  const matches: Match[] = []
  let left = MOST_HASHED_BYTES
  for (const [cost, candidate] of candidates(space)) {
    const { prefix, body, key } = candidate
    if (cost > costOf(matches[0]) || matches.length >= MOST_MATCHES) break
    left -= body.value.length + HMAC_BYTES
    if (left < 0) break
    const digest = createHmac('sha256', key.value.object).update(prefix.value).update(body.value).digest('base64')
    const spoilt = expected.get(digest)
    if (spoilt === undefined) continue
    const differences = [...spoilt, ...prefix.differences, ...body.differences, ...key.differences]
    matches.push({ secretIndex: key.value.secretIndex, differences })
  }
  const least = Math.min(...matches.map(costOf))
  return matches.filter((match) => costOf(match) === least)
}

/** More than this at once are no diagnosis any more. */
const MOST_DIFFERENCES = 4

interface Candidate {
  readonly prefix: Reading<string>
  readonly body: Reading<Uint8Array>
  readonly key: Reading<{ readonly object: KeyObject; readonly secretIndex: number }>
}

/** Every combination, with the number of its differences, the simplest first. */
function* candidates({ prefixes, bodies, keys }: SearchSpace): Generator<readonly [number, Candidate]> {
  const frames = keys.flatMap(({ value: { key, secretIndex }, differences }) => {
    const keyObject = createSecretKey(key)
    const ofKey = { value: { object: keyObject, secretIndex }, differences }
    return prefixes.map((prefix) => ({ prefix, key: ofKey, cost: prefix.differences.length + differences.length }))
  })
  const bodiesByCost = Map.groupBy(bodies, ({ differences }) => differences.length)
  for (let cost = 0; cost <= MOST_DIFFERENCES; cost += 1) {
    for (const { prefix, key, cost: frameCost } of frames) {
      for (const body of bodiesByCost.get(cost - frameCost) ?? []) yield [cost, { prefix, body, key }]
    }
  }
}

function byCost<Part>(readings: readonly Reading<Part>[]): readonly Reading<Part>[] {
  return [...readings].sort((one, other) => one.differences.length - other.differences.length)
}

function costOf(match: Match | undefined): number {
  return match === undefined ? Number.POSITIVE_INFINITY : match.differences.length
}
