import { describe, expect, it } from 'vitest'
import { checkHeaders, refuseTolerance } from './header-check.ts'

const SECONDS = 1_767_258_000
const SIGNATURE = `${'A'.repeat(43)}=`
const HEADERS = { 'webhook-id': 'msg_1', 'webhook-timestamp': `${SECONDS}`, 'webhook-signature': `v1,${SIGNATURE}` }

const check = (changes: Readonly<Record<string, string>> = {}) =>
  checkHeaders({ ...HEADERS, ...changes }, { toleranceSeconds: 300, clock: { now: () => SECONDS * 1000 } })

describe('the headers of an attempt', () => {
  it('are the start of the signed content', () => {
    expect(check()).toEqual({
      ...{ status: 'checked', webhookId: 'msg_1', timestamp: SECONDS },
      ...{ signedPrefix: `msg_1.${SECONDS}.`, signatures: [SIGNATURE] },
    })
  })

  it.each([
    ['of another scheme', `v1a,${SIGNATURE} v2,${SIGNATURE}`],
    ['that are too short', `v1,${SIGNATURE.slice(1)}`],
    ['that are too long', `v1,A${SIGNATURE}`],
    ['that are empty', ' '.repeat(40)],
  ])('may have entries %s, which are ignored', (_, entries) => {
    const both = check({ 'webhook-signature': `${entries} v1,${SIGNATURE}` })
    expect(both).toMatchObject({ status: 'checked', signatures: [SIGNATURE] })
    expect(check({ 'webhook-signature': entries })).toMatchObject({ status: 'checked', signatures: [] })
  })

  it.each([
    [
      'have too many entries',
      { 'webhook-signature': 'v2,x '.repeat(33) },
      { reason: 'malformed-header', detail: 'the header webhook-signature has 33 entries; at most 32 are allowed' },
    ],
    [
      'have a timestamp that is no number',
      { 'webhook-timestamp': 'noon' },
      {
        reason: 'malformed-header',
        detail: 'the header webhook-timestamp is not a Unix time in digits, or occurs twice',
      },
    ],
    [
      'are too old',
      { 'webhook-timestamp': `${SECONDS - 301}` },
      {
        reason: 'timestamp-too-old',
        detail: "the timestamp is 301 s behind this machine's clock; at most 300 s are allowed",
      },
    ],
    [
      'are too new',
      { 'webhook-timestamp': `${SECONDS + 301}` },
      {
        reason: 'timestamp-too-new',
        detail: "the timestamp is 301 s ahead of this machine's clock; at most 300 s are allowed",
      },
    ],
  ])('that %s are refused with the facts', (_, changes, refusal) => {
    expect(check(changes)).toEqual({ status: 'refused', ...refusal })
  })

  it('that are no headers are an error of the caller', () => {
    const request = { headers: HEADERS } as never
    expect(() => checkHeaders(request, { toleranceSeconds: 300, clock: { now: () => 0 } })).toThrow('is a request')
  })
})

it('an error about the tolerance names the option', () => {
  const error = expect.objectContaining({ code: 'option_invalid', option: 'toleranceSeconds' })
  expect(() => refuseTolerance(Number.NaN)).toThrow(error)
})
