import { SIGNATURE_HEADERS } from '@notewire/protocol'
import type { Check, CheckGroup } from '../check.ts'
import { isAccepted, isRefused, isTakenOrRefused } from '../expectations.ts'

const REFUSE_MISSING =
  'Answer 401 when any of the three headers is missing or empty, before anything is computed from it.'

/** The headers of a delivery (contract §4; §5, receiver rule 3). */
export const header: CheckGroup = {
  title: 'Headers',
  checks: [
    ...Object.values(SIGNATURE_HEADERS).map(
      (name): Check => ({
        id: `header.missing-${name}`,
        title: `A delivery without ${name} is refused with a 4xx`,
        section: '§5, receiver rule 3',
        severity: 'must',
        fix: REFUSE_MISSING,
        examine: isRefused(() => ({ headers: { [name]: undefined } })),
      }),
    ),
    {
      id: 'header.empty',
      title: 'A delivery with an empty webhook-id or webhook-timestamp is refused with a 4xx',
      section: '§5, receiver rule 3',
      severity: 'should',
      fix: REFUSE_MISSING,
      examine: isRefused(() => [{ webhookId: '' }, { timestamp: '' }]),
    },
    {
      id: 'header.all-missing',
      title: 'A request that is no delivery at all is refused with a 4xx',
      section: '§5, receiver rule 3',
      severity: 'must',
      fix: REFUSE_MISSING,
      presupposes: 'signature.wrong-secret',
      examine: isRefused(() => ({
        headers: Object.fromEntries(Object.values(SIGNATURE_HEADERS).map((name) => [name, undefined])),
      })),
    },
    {
      id: 'header.capitals',
      title: 'Header names count in any case: Webhook-Id, WEBHOOK-SIGNATURE',
      section: '§4, receiver contract',
      severity: 'must',
      fix: 'Read headers through what ignores case: request.headers of Node.js has them in lower case, API gateways and plain dictionaries may not.',
      examine: isAccepted(() => [{ rename: capitalised }, { rename: (name) => name.toUpperCase() }]),
    },
    {
      id: 'header.charset',
      title: 'Content-Type may name a charset',
      section: '§4, receiver contract',
      severity: 'should',
      fix: 'Compare the media type alone, without its parameters, or take any: the signature is what counts.',
      examine: isAccepted(() =>
        ['application/json; charset=utf-8', 'application/json;charset=UTF-8'].map((type) => ({
          headers: { 'content-type': type },
        })),
      ),
    },
    {
      id: 'header.no-content-type',
      title: 'A delivery without Content-Type breaks nothing',
      section: '§4, receiver contract',
      severity: 'should',
      fix: "Take the raw body whatever its type (express.raw({ type: '*/*' })), or answer 415: with another type some parsers leave no body at all, and the HMAC of undefined throws.",
      examine: isTakenOrRefused(() => ({ headers: { 'content-type': undefined } })),
    },
  ],
}

/** `webhook-id` as `Webhook-Id`. */
function capitalised(name: string): string {
  return name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())
}
