import type { Finding } from './report.ts'

interface Mistake {
  /** The checks that fail. */
  readonly breaks?: readonly string[]
  /** The checks that fail because the receiver accepts what it should reject. */
  readonly accepts?: readonly string[]
  /** A check that passes nevertheless. */
  readonly passes?: string
  readonly mistake: string
}

const VERIFIES_PARSED = 'verifies JSON that was parsed and serialized again, not the raw body'

/** Mistakes that break several checks: those that accept too much, and those that reject or fail. */
const MISTAKES: readonly Mistake[] = [
  {
    accepts: ['signature.tampered-body', 'signature.wrong-secret', 'header.all-missing'],
    passes: 'effect.forged',
    mistake: 'answers before it verifies: it accepts forged requests, although it does not apply them',
  },
  {
    accepts: ['signature.tampered-body', 'signature.wrong-secret', 'header.all-missing'],
    mistake: 'accepts unsigned requests: it verifies nothing, at least not before it answers',
  },
  {
    accepts: ['signature.tampered-body', 'signature.wrong-secret'],
    mistake: 'accepts every signature: it does not compare it',
  },
  {
    accepts: ['signature.version', 'signature.without-version'],
    mistake: 'ignores the version of a signature',
  },
  {
    breaks: ['signature.right-one-first', 'signature.right-one-last'],
    mistake: 'expects exactly one signature in webhook-signature',
  },
  {
    accepts: ['timestamp.ancient', 'timestamp.stale'],
    mistake: 'ignores the age of a delivery: anyone who has seen one can send it again later',
  },
  {
    accepts: ['timestamp.stale', 'timestamp.future'],
    mistake: 'allows more than 300 s: it rejects an old delivery, but its tolerance is too wide',
  },
  { breaks: ['signature.equivalent-body', 'body.spaces'], mistake: VERIFIES_PARSED },
  { breaks: ['body.spaces', 'body.escapes'], mistake: VERIFIES_PARSED },
  {
    breaks: ['effect.older-revision', 'effect.newer-revision'],
    mistake: 'compares revisions as text: "10" is less than "9"',
  },
]

/** The first failure, or else the first warning, in a few words: the mistake that explains it, or what the receiver does. */
export function mainProblem(findings: readonly Finding[]): string | undefined {
  const first =
    findings.find(({ verdict }) => verdict === 'failed') ?? findings.find(({ verdict }) => verdict === 'warned')
  if (first === undefined) return undefined
  if (first.id === 'delivery.valid' && first.cause?.startsWith('no answer')) return `answers too slowly: ${first.cause}`
  const broken = findings.filter(({ problem }) => problem !== undefined)
  const accepting = broken.filter(({ status = 0 }) => status >= 200 && status < 300)
  const passing = findings.filter(({ verdict }) => verdict === 'passed')
  const explained = MISTAKES.find(
    ({ breaks = [], accepts = [], passes }) =>
      [...breaks, ...accepts].includes(first.id) &&
      areAll(breaks, broken) &&
      areAll(accepts, accepting) &&
      areAll(passes === undefined ? [] : [passes], passing),
  )
  if (explained !== undefined) return explained.mistake
  return first.cause === undefined ? first.problem : `${first.problem}: ${first.cause}`
}

function areAll(ids: readonly string[], among: readonly Finding[]): boolean {
  return ids.every((id) => among.some((finding) => finding.id === id))
}
