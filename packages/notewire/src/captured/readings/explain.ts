import type { CapturedRequest } from '../captured-request.ts'
import { bodyReadings } from './body-readings.ts'
import { CONTENT_READINGS } from './content-readings.ts'
import { distinct, type Reading } from './difference.ts'
import { headerReadings } from './header-readings.ts'
import { reorderedReadings } from './json-readings.ts'
import { type CandidateKey, type Match, searchMatches } from './search.ts'
import { secretReadings } from './secret-readings.ts'
import { signatureReadings } from './signature-readings.ts'

/**
 * Finds what differs between a captured request and what was signed, by trying what is known to happen to bodies, headers and
 * secrets, one thing and several at once.
 *
 * @param secrets  the texts of the secrets, in order
 * @returns the ways in which the signature is right: usually one; none, when nothing that was tried makes it so
 */
export function explainSignature(request: CapturedRequest, secrets: readonly string[]): readonly Match[] {
  const prefixes = prefixReadings(request)
  const keys = keyReadings(secrets)
  const signatures = headerReadings(request.headers, 'signature').flatMap(signatureReadings)
  if (signatures.length === 0) return []
  const matches = searchMatches({ prefixes, keys, signatures, bodies: bodyReadings(request.body, request.headers) })
  if (matches.length > 0) return matches
  return searchMatches({
    prefixes: prefixes.filter(isContracts),
    keys: keys.filter(isContracts),
    signatures,
    bodies: reorderedReadings(request.body),
  })
}

function isContracts({ differences }: Reading<unknown>): boolean {
  return differences.length === 0
}

/** More readings of a header than this are no reading. */
const MOST_VALUES = 12

function prefixReadings({ headers }: CapturedRequest): readonly Reading<string>[] {
  const ids = orNone(headerReadings(headers, 'id'))
  const timestamps = orNone(headerReadings(headers, 'timestamp'))
  const prefixes: Reading<string>[] = []
  for (const content of CONTENT_READINGS) {
    for (const id of ids) {
      for (const timestamp of timestamps) {
        const value = content.value(id.value, timestamp.value)
        const differences = [...id.differences, ...timestamp.differences, ...content.differences]
        if (value !== undefined) prefixes.push({ value, differences })
      }
    }
  }
  return distinct(prefixes, (prefix) => prefix)
}

function orNone(readings: readonly Reading<string>[]): readonly Reading<string | undefined>[] {
  return readings.length === 0 ? [{ value: undefined, differences: [] }] : readings.slice(0, MOST_VALUES)
}

function keyReadings(secrets: readonly string[]): readonly Reading<CandidateKey>[] {
  const keys = secrets.flatMap((secret, secretIndex) =>
    secretReadings(secret).map(({ value, differences }) => ({ value: { key: value, secretIndex }, differences })),
  )
  return distinct(keys, ({ key }) => Buffer.from(key).toString('base64'))
}
