import { SecretError } from '../verifier/signing-secret.ts'

/**
 * Refuses what is pasted or passed instead of a signing secret, or with it. The secret itself may be correct, and need not be rotated.
 * `@notewire/webhooks/verify` does without it, because it is smaller.
 *
 * @throws SecretError
 */
export function refuseOtherThanSecret(secret: unknown): void {
  if (secret === undefined || secret === null) return
  if (typeof secret !== 'string') {
    if (typeof Object(secret).then === 'function')
      throw new SecretError('is a promise', 'Pass what it resolves to: await it.')
    throw new SecretError(
      `is not a string but ${typeof secret}`,
      'Pass the text of the secret itself, or a list of such texts.',
    )
  }
  const [, problem, nextStep] = SURROUNDINGS.find(([pattern]) => pattern.test(secret)) ?? []
  if (problem !== undefined) throw new SecretError(problem, nextStep)
}

const SURROUNDINGS: readonly (readonly [pattern: RegExp, problem: string, nextStep: string])[] = [
  [
    /^[A-Za-z_]{1,64}_live_[^.]*\./,
    'is an API key',
    'Pass the signing secret, which the response that created the endpoint contains.',
  ],
  [/^\w{1,64}=["'`]?whsec_/, 'has the name of its variable before it', 'Remove the name and the equals sign.'],
  [/^[^!-~]+whsec_/, 'begins with white space or an invisible character', 'Remove it.'],
  [/^\{/, 'is JSON', 'Parse it, and pass the text of the secret in it.'],
]
