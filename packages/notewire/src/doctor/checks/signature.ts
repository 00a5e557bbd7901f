import type { CheckGroup } from '../check.ts'
import { secondsFromNow, versioned } from '../delivery.ts'
import { isAccepted, isRefused } from '../expectations.ts'
import { USE_A_VERIFIER, VERIFY_RAW_BYTES } from '../fixes.ts'
import { madeUpEvent, madeUpId } from '../made-up-event.ts'
import { signerWithKey, strangerSigner } from '../signer.ts'

const RULE_4 = '§5, receiver rule 4'
const RULE_6 = '§5, receiver rule 6'

const COMPARE_WHOLE =
  'Compare the whole of both signatures in constant time: crypto.timingSafeEqual behind a check of the lengths (Node.js), hmac.compare_digest (Python), hmac.Equal (Go), ActiveSupport::SecurityUtils.secure_compare (Rails).'

const TRY_EACH_ENTRY =
  'Split webhook-signature at spaces, look at entries that begin with "v1," alone, and accept when any of them matches: during a rotation the service sends several.'

/** What is signed by whom (contract §5, receiver rules 2, 4 and 6). */
export const signature: CheckGroup = {
  title: 'Signatures',
  checks: [
    {
      id: 'signature.tampered-body',
      title: 'A body that was changed on the way is refused with a 4xx',
      section: RULE_6,
      severity: 'must',
      fix: `Compute the HMAC over the id, the timestamp and the body, compare, and answer 401 when it differs. ${USE_A_VERIFIER}`,
      examine: isRefused(() => {
        const body = JSON.stringify(madeUpEvent('note.updated', { revision: 1 }))
        return { body, sentBody: body.replace('"revision":1', '"revision":2') }
      }),
    },
    {
      id: 'signature.wrong-secret',
      title: 'A delivery signed with another secret is refused with a 4xx',
      section: RULE_6,
      severity: 'must',
      fix: `Compare the signature with the one that your own secret gives, and answer 401 when it differs. ${USE_A_VERIFIER}`,
      examine: isRefused(() => ({ signer: strangerSigner() })),
    },
    {
      id: 'signature.guessable-key',
      title: 'A delivery signed with an empty or missing secret is refused with a 4xx',
      section: RULE_6,
      severity: 'must',
      fix: 'Refuse to start, or answer 503, when the secret is not configured: an HMAC under an empty key, or under the text "undefined", can be made by anybody.',
      presupposes: 'signature.wrong-secret',
      examine: isRefused(() =>
        ['', 'undefined', 'null', 'None', 'whsec_'].map((key) => ({ signer: signerWithKey(Buffer.from(key)) })),
      ),
    },
    {
      id: 'signature.other-webhook-id',
      title: 'A signature does not count for another webhook-id',
      section: '§5, signed_content',
      severity: 'must',
      fix: 'Sign "{webhook-id}.{webhook-timestamp}.{raw body}", with the id of the header.',
      presupposes: 'signature.wrong-secret',
      examine: isRefused(() => ({ headers: { 'webhook-id': madeUpId('attempt') } })),
    },
    {
      id: 'signature.other-timestamp',
      title: 'A signature does not count for another timestamp',
      section: '§5, signed_content',
      severity: 'must',
      fix: 'Sign "{webhook-id}.{webhook-timestamp}.{raw body}", with the timestamp of the header: otherwise an old delivery passes with a new date.',
      presupposes: 'signature.wrong-secret',
      examine: isRefused(() => ({
        timestamp: secondsFromNow(-4),
        headers: { 'webhook-timestamp': secondsFromNow(-2) },
      })),
    },
    {
      id: 'signature.empty',
      title: 'An empty signature ("v1,") is refused with a 4xx',
      section: RULE_6,
      severity: 'must',
      fix: COMPARE_WHOLE,
      presupposes: 'signature.wrong-secret',
      examine: isRefused(() => ['', 'v1,', 'v1', ','].map((value) => ({ signature: () => value }))),
    },
    {
      id: 'signature.shortened',
      title: 'The beginning of the right signature is refused with a 4xx',
      section: RULE_6,
      severity: 'must',
      fix: `${COMPARE_WHOLE} A 500 here is timingSafeEqual, which throws when the lengths differ.`,
      presupposes: 'signature.wrong-secret',
      examine: isRefused(() =>
        [1, 12, 40].map((length) => ({ signature: (right) => versioned(right.slice(0, length)) })),
      ),
    },
    {
      id: 'signature.trailing-garbage',
      title: 'The right signature with something after it is refused with a 4xx',
      section: RULE_6,
      severity: 'should',
      fix: `${COMPARE_WHOLE} Compare the texts, or decode strictly: Buffer.from and b64decode skip what is not base64.`,
      presupposes: 'signature.wrong-secret',
      examine: isRefused(() => ['AAAA', '!', ',v1'].map((tail) => ({ signature: (right) => versioned(right + tail) }))),
    },
    {
      id: 'signature.not-base64',
      title: 'A signature that is no base64 is refused with a 4xx',
      section: RULE_6,
      severity: 'must',
      fix: 'Answer 401 when the signature cannot be decoded or compared: catch binascii.Error and the TypeError of compare_digest over non-ASCII text (Python: compare bytes), illegal base64 (Go, Java).',
      presupposes: 'signature.wrong-secret',
      examine: isRefused(() => [
        { signature: () => versioned('%%% not base64 %%%') },
        { signature: () => versioned('a') },
        { signature: (right) => versioned(`\u00c3\u00a9${right.slice(2)}`) },
      ]),
    },
    {
      id: 'signature.version',
      title: 'The right signature under another version ("v2,", "v1a,") is refused with a 4xx',
      section: RULE_4,
      severity: 'must',
      fix: TRY_EACH_ENTRY,
      presupposes: 'signature.wrong-secret',
      examine: isRefused(() =>
        ['v2,', 'v1a,', 'v10,', 'v0,'].map((version) => ({ signature: (right) => version + right })),
      ),
    },
    {
      id: 'signature.without-version',
      title: 'The right signature without a version is refused with a 4xx',
      section: RULE_4,
      severity: 'must',
      fix: TRY_EACH_ENTRY,
      presupposes: 'signature.wrong-secret',
      examine: isRefused(() => [{ signature: (right) => right }, { signature: (right) => `,${right}` }]),
    },
    {
      id: 'signature.right-one-first',
      title: 'Several signatures are accepted when the first is right',
      section: RULE_4,
      severity: 'must',
      fix: TRY_EACH_ENTRY,
      examine: isAccepted(() => ({ signature: (right) => `${versioned(right)} ${wrongEntry()}` })),
    },
    {
      id: 'signature.right-one-last',
      title: 'Several signatures are accepted when the last is right',
      section: RULE_4,
      severity: 'must',
      fix: TRY_EACH_ENTRY,
      examine: isAccepted(() => ({ signature: (right) => `${wrongEntry()} ${wrongEntry()} ${versioned(right)}` })),
    },
    {
      id: 'signature.beside-unknown-version',
      title: 'A right v1 signature is accepted beside entries of other versions',
      section: RULE_4,
      severity: 'must',
      fix: TRY_EACH_ENTRY,
      examine: isAccepted(() => [
        { signature: (right) => `v2,${wrongSignature()} ${versioned(right)}` },
        { signature: (right) => `${versioned(right)} v1a,${wrongSignature()}` },
      ]),
    },
    {
      id: 'signature.all-wrong',
      title: 'Several signatures are refused with a 4xx when none is right',
      section: RULE_4,
      severity: 'must',
      fix: TRY_EACH_ENTRY,
      presupposes: 'signature.wrong-secret',
      examine: isRefused(() => ({ signature: () => `${wrongEntry()} ${wrongEntry()}` })),
    },
    {
      id: 'signature.endpoint-events',
      title: 'endpoint.verification and endpoint.test are refused with a 4xx when their signature is wrong',
      section: '§5, receiver rules 3 and 6',
      severity: 'must',
      fix: `Verify before you look at event_type: answer no kind of event early. ${VERIFY_RAW_BYTES}`,
      presupposes: 'signature.wrong-secret',
      examine: isRefused(() =>
        ['endpoint.verification', 'endpoint.test'].map((kind) => ({
          body: JSON.stringify(madeUpEvent(kind)),
          signer: strangerSigner(),
        })),
      ),
    },
  ],
}

function wrongEntry(): string {
  return versioned(wrongSignature())
}

/** Of the right form, and of nobody. */
function wrongSignature(): string {
  return strangerSigner().sign('', '', new Uint8Array())
}
