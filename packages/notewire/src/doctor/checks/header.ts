import { SIGNATURE_HEADERS } from '@notewire/protocol'
import { accepts, acceptsOrRejects, group, must, rejects, should } from '../check.ts'
import { UNSIGNED } from '../delivery.ts'

const RULE_3 = '§5, receiver rule 3'
const RECEIVER_CONTRACT = '§4, receiver contract'

const NAMES = Object.values(SIGNATURE_HEADERS)

const REJECT_MISSING = 'Answer 401 if any of the three headers is missing or empty, before you compute the HMAC.'

export const headerChecks = group('Headers', [
  ...NAMES.map((name) =>
    must(
      `header.missing-${name}`,
      rejects(`a delivery without ${name}`, () => ({ headers: { [name]: undefined } })),
      RULE_3,
      {
        fix: REJECT_MISSING,
      },
    ),
  ),
  should(
    'header.empty',
    rejects('a delivery with an empty webhook-id or webhook-timestamp', () => [
      { what: 'webhook-id', webhookId: '' },
      { what: 'webhook-timestamp', timestamp: '' },
    ]),
    RULE_3,
    {
      fix: REJECT_MISSING,
    },
  ),
  must(
    'header.all-missing',
    rejects('a request without any of the three headers', () => ({ headers: UNSIGNED })),
    RULE_3,
    {
      fix: REJECT_MISSING,
    },
  ),
  must(
    'header.capitals',
    accepts('a delivery with header names in capitals (Webhook-Id)', () => [
      { rename: (name) => name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()) },
      { rename: (name) => name.toUpperCase() },
    ]),
    RECEIVER_CONTRACT,
    {
      fix: 'Look up headers without regard to case. Most frameworks do; the events of API gateways (AWS Lambda) and plain dictionaries may not.',
    },
  ),
  should(
    'header.charset',
    accepts('a Content-Type with a charset', () =>
      ['application/json; charset=utf-8', 'application/json;charset=UTF-8'].map((type) => ({
        what: type,
        headers: { 'content-type': type },
      })),
    ),
    RECEIVER_CONTRACT,
    {
      fix: 'Compare only the media type, without its parameters, or accept any Content-Type: the signature decides.',
    },
  ),
  should(
    'header.no-content-type',
    acceptsOrRejects('a delivery without Content-Type', () => ({ headers: { 'content-type': undefined } })),
    RECEIVER_CONTRACT,
    {
      fix: 'Read the raw body for any Content-Type, or answer 415. Some body parsers provide no body for another type, and code that hashes it then throws an error.',
    },
  ),
])
