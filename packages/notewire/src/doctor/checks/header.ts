import { SIGNATURE_HEADERS } from '@notewire/protocol'
import { accepts, acceptsOrRejects, group, must, rejects, should } from '../check.ts'

const RULE_3 = '§5, receiver rule 3'
const RECEIVER_CONTRACT = '§4, receiver contract'

const NAMES = Object.values(SIGNATURE_HEADERS)

const REJECT_MISSING = 'Answer 401 if any of the three headers is missing or empty, before you compute the HMAC.'

export const headerChecks = group('Headers', [
  ...NAMES.map((name) =>
    must(`header.missing-${name}`, `A delivery without ${name} is rejected (4xx)`, RULE_3, {
      fix: REJECT_MISSING,
      run: rejects(() => ({ headers: { [name]: undefined } })),
    }),
  ),
  should('header.empty', 'A delivery with an empty webhook-id or webhook-timestamp is rejected (4xx)', RULE_3, {
    fix: REJECT_MISSING,
    run: rejects(() => [{ webhookId: '' }, { timestamp: '' }]),
  }),
  must('header.all-missing', 'A request without any of the three headers is rejected (4xx)', RULE_3, {
    fix: REJECT_MISSING,
    requires: 'signature.wrong-secret',
    run: rejects(() => ({ headers: Object.fromEntries(NAMES.map((name) => [name, undefined])) })),
  }),
  must('header.capitals', 'Header names in any case (Webhook-Id) are accepted (2xx)', RECEIVER_CONTRACT, {
    fix: 'Look up headers without regard to case. Most frameworks do; the events of API gateways (AWS Lambda) and plain dictionaries may not.',
    run: accepts(() => [
      { rename: (name) => name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()) },
      { rename: (name) => name.toUpperCase() },
    ]),
  }),
  should('header.charset', 'A Content-Type with a charset is accepted (2xx)', RECEIVER_CONTRACT, {
    fix: 'Compare only the media type, without its parameters, or accept any Content-Type: the signature decides.',
    run: accepts(() =>
      ['application/json; charset=utf-8', 'application/json;charset=UTF-8'].map((type) => ({
        headers: { 'content-type': type },
      })),
    ),
  }),
  should('header.no-content-type', 'A delivery without Content-Type causes no error', RECEIVER_CONTRACT, {
    fix: "Read the raw body for any Content-Type (express.raw({ type: '*/*' }) in Express), or answer 415. Some body parsers provide no body for another type, and code that hashes it then throws.",
    run: acceptsOrRejects(() => ({ headers: { 'content-type': undefined } })),
  }),
])
