import { SIGNATURE_HEADERS } from '@notewire/protocol'
import { group, must, should } from '../check.ts'
import { UNSIGNED } from '../delivery.ts'

const RULE_3 = '§5, receiver rule 3'
const RECEIVER_CONTRACT = '§4, receiver contract'

const NAMES = Object.values(SIGNATURE_HEADERS)

const REJECT_MISSING = 'Answer 401 if any of the three headers is missing or empty, before you compute the HMAC.'

export const headerChecks = group('Headers', [
  ...NAMES.map((name) =>
    must(`header.missing-${name}`, `a delivery without ${name}`, RULE_3, {
      fix: REJECT_MISSING,
      rejects: () => ({ headers: { [name]: undefined } }),
    }),
  ),
  should('header.empty', 'a delivery with an empty webhook-id or webhook-timestamp', RULE_3, {
    fix: REJECT_MISSING,
    rejects: () => [
      { what: 'webhook-id', webhookId: '' },
      { what: 'webhook-timestamp', timestamp: '' },
    ],
  }),
  must('header.all-missing', 'a request without any of the three headers', RULE_3, {
    fix: REJECT_MISSING,
    rejects: () => ({ headers: UNSIGNED }),
  }),
  must('header.capitals', 'a delivery with header names in capitals (Webhook-Id)', RECEIVER_CONTRACT, {
    fix: 'Look up headers without regard to case. Most frameworks do; the events of API gateways (AWS Lambda) and plain dictionaries may not.',
    accepts: () => [
      { rename: (name) => name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()) },
      { rename: (name) => name.toUpperCase() },
    ],
  }),
  should('header.charset', 'a Content-Type with a charset', RECEIVER_CONTRACT, {
    fix: 'Compare only the media type, without its parameters, or accept any Content-Type: the signature decides.',
    accepts: () =>
      ['application/json; charset=utf-8', 'application/json;charset=UTF-8'].map((type) => ({
        what: type,
        headers: { 'content-type': type },
      })),
  }),
  should('header.no-content-type', 'a delivery without Content-Type', RECEIVER_CONTRACT, {
    fix: 'Read the raw body for any Content-Type, or answer 415. Some body parsers provide no body for another type, and code that hashes it then throws an error.',
    acceptsOrRejects: () => ({ headers: { 'content-type': undefined } }),
  }),
])
