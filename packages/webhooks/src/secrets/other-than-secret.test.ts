import { expect, it } from 'vitest'
import { refuseOtherThanSecret } from './other-than-secret.ts'

const SECRET = 'whsec_c2VjcmV0LW9mLTE2LWJ5dGVz'

it.each([
  [`\ufeff${SECRET}`, /begins with white space or an invisible character\. Remove it/],
  [` ${SECRET}`, /begins with white space or an invisible character\. Remove it/],
  ['ntw_live_k7.s3cret', /is an API key\. Pass the signing secret/],
  [`NOTES_SIGNING_SECRET=${SECRET}`, /has the name of its variable before it\. Remove the name/],
  [`{"signing_secret":"${SECRET}"}`, /is JSON\. Parse it/],
  [Promise.resolve(SECRET), /is a promise\. Pass what it resolves to/],
  [7, /is not a string but number\. Pass the text/],
])('%s is refused with the reason and the next step, and is not quoted', (secret, reason) => {
  expect(() => refuseOtherThanSecret(secret)).toThrow(reason)
  if (typeof secret === 'string') expect(() => refuseOtherThanSecret(secret)).not.toThrow(secret)
})

it.each([SECRET, undefined, null, ''])('%s is left to other checks', (secret) => {
  expect(() => refuseOtherThanSecret(secret)).not.toThrow()
})
