import type { Finding } from './report.ts'

/** Mistakes that break several checks: those that accept too much, and those that reject or fail. */
const MISTAKES: readonly { readonly breaks: readonly string[]; readonly accepts?: true; readonly mistake: string }[] = [
  {
    breaks: ['signature.tampered-body', 'signature.wrong-secret', 'header.all-missing'],
    accepts: true,
    mistake: 'accepts unsigned requests: it verifies nothing',
  },
  {
    breaks: ['signature.tampered-body', 'signature.wrong-secret'],
    accepts: true,
    mistake: 'accepts every signature: it does not compare it',
  },
  {
    breaks: ['signature.version', 'signature.without-version'],
    accepts: true,
    mistake: 'ignores the version of a signature',
  },
  {
    breaks: ['signature.right-one-first', 'signature.right-one-last'],
    mistake: 'expects exactly one signature in webhook-signature',
  },
  {
    breaks: ['timestamp.stale', 'timestamp.future'],
    accepts: true,
    mistake: 'ignores the age of a delivery: anyone who has seen one can send it again later',
  },
  {
    breaks: ['signature.equivalent-body', 'body.spaces'],
    mistake: 'verifies JSON that was parsed and serialized again, not the raw body',
  },
  {
    breaks: ['body.spaces', 'body.escapes'],
    mistake: 'verifies JSON that was parsed and serialized again, not the raw body',
  },
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
  const isBroken = (id: string, accepts = false) =>
    findings.some(
      ({ problem, status = 0, ...finding }) =>
        finding.id === id && problem !== undefined && (!accepts || isSuccess(status)),
    )
  const explained = MISTAKES.find(
    ({ breaks, accepts }) => breaks.includes(first.id) && breaks.every((id) => isBroken(id, accepts)),
  )
  if (explained !== undefined) return explained.mistake
  return first.cause === undefined ? first.problem : `${first.problem}: ${first.cause}`
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}
