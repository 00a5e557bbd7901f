import assert from 'node:assert/strict'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { signAttempt } from '../testing/sign-attempt.ts'
import { checkHeaders } from './header-check.ts'
import { createSignatureCheck } from './signature-check.ts'
import type { SecretList } from './signing-secret.ts'

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const NOW = 1_767_225_600_000
const BODY = '{"event_id":"evt_1"}'

/** Checks the signature of {@link BODY}. */
async function startCheck(secrets: SecretList) {
  const { headers } = await signAttempt(SECRET, BODY, { webhookId: 'msg_1', signedAt: NOW })
  const checked = checkHeaders(headers, { toleranceSeconds: 300, clock: { now: () => NOW } })
  if (checked.status === 'refused') throw new Error(checked.reason)
  return { verification: createSignatureCheck(secrets)(BODY, checked) }
}

afterEach(() => vi.restoreAllMocks())

describe.each<[string, SecretList, object]>([
  ['a secret', [SECRET], { status: 'verified', secretIndex: 0 }],
  ['a gap before a secret', [undefined, SECRET], { status: 'verified', secretIndex: 1 }],
  ['a gap after a secret', [SECRET, null], { status: 'verified', secretIndex: 0 }],
  ['gaps alone', [null, ''], { status: 'refused', reason: 'no-matching-signature' }],
])('a check with %s', (_what, secrets, expected) => {
  it('is synchronous in Node.js', async () => {
    expect((await startCheck(secrets)).verification).toMatchObject(expected)
  })

  it.each([
    ['has no such module', () => undefined],
    ['does not know the module', () => assert.fail('No such built-in module')],
  ])('uses WebCrypto where the runtime %s', async (_why, getBuiltinModule) => {
    vi.spyOn(process, 'getBuiltinModule').mockImplementation(getBuiltinModule as typeof process.getBuiltinModule)
    const { verification } = await startCheck(secrets)
    expect(await verification).toMatchObject(expected)
  })
})

it('a refusal says what does not match', async () => {
  const { verification } = await startCheck([`whsec_${Buffer.alloc(32, 2).toString('base64')}`])
  expect(verification).toMatchObject({ detail: 'no v1 signature matches this body with any known secret' })
})
