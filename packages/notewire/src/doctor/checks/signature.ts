import { accepts, group, must, notTested, type RunCheck, rejects, should } from '../check.ts'
import {
  eventBody,
  type Secret,
  secondsFromNow,
  signerWithKey,
  strangerSigner,
  testId,
  versioned,
} from '../delivery.ts'
import type { Examination } from '../examination.ts'

const RULE_4 = '§5, receiver rule 4'
const RULE_6 = '§5, receiver rule 6'
const RULES_3_6 = '§5, receiver rules 3 and 6'
const SIGNED_CONTENT = '§5, signed_content'

const VERIFY_SIGNATURE =
  'Compute the HMAC-SHA256 over the ID, the timestamp and the raw body, compare it with the header, and answer 401 if they differ. The test vectors in @notewire/webhooks/vectors test a verifier in any language; in JavaScript, createVerifier of @notewire/webhooks/verify does all of this.'

const SIGN_HEADER_VALUES =
  'Compute the HMAC over "{webhook-id}.{webhook-timestamp}.{raw body}" with the values of the headers. Otherwise an old delivery is valid under a new ID or time.'

const COMPARE_WHOLE =
  'Compare both complete signatures in constant time: hmac.compare_digest (Python), hmac.Equal (Go), ActiveSupport::SecurityUtils.secure_compare (Rails), hash_equals (PHP), crypto.timingSafeEqual after comparing the lengths (Node.js).'

const TRY_EACH_ENTRY =
  'Split webhook-signature at spaces, ignore entries that do not start with "v1,", and accept the delivery if any of them is valid: during a rotation the service sends several.'

const DECODE_BASE64URL =
  "Decode the text after whsec_ as base64url: base64.urlsafe_b64decode(text + '=' * (-len(text) % 4)) in Python, base64.RawURLEncoding in Go, Base64.urlsafe_decode64 in Ruby, Base64.getUrlDecoder() in Java, Buffer.from(text, 'base64url') in Node.js."

export const signatureChecks = group('Signatures', [
  must('signature.tampered-body', 'A body that was changed after signing is rejected (4xx)', RULE_6, {
    fix: VERIFY_SIGNATURE,
    run: rejects(() => {
      const body = eventBody('note.updated', { revision: 1 })
      return { body, sentBody: body.replace('"revision":1', '"revision":2') }
    }),
  }),
  must('signature.wrong-secret', 'A delivery signed with another secret is rejected (4xx)', RULE_6, {
    fix: VERIFY_SIGNATURE,
    run: rejects(() => ({ signer: strangerSigner() })),
  }),
  must('signature.guessable-key', 'A delivery signed with an empty or missing secret is rejected (4xx)', RULE_6, {
    fix: 'Do not start, or answer 503, if no secret is configured. Anyone can compute an HMAC with an empty key or with the text "undefined".',
    requires: 'signature.wrong-secret',
    run: rejects(() =>
      ['', 'undefined', 'null', 'None', 'whsec_'].map((key) => ({ signer: signerWithKey(Buffer.from(key)) })),
    ),
  }),
  must('signature.other-webhook-id', 'A signature for another webhook-id is rejected (4xx)', SIGNED_CONTENT, {
    fix: SIGN_HEADER_VALUES,
    requires: 'signature.wrong-secret',
    run: rejects(() => ({ headers: { 'webhook-id': testId('attempt') } })),
  }),
  must('signature.other-timestamp', 'A signature for another timestamp is rejected (4xx)', SIGNED_CONTENT, {
    fix: SIGN_HEADER_VALUES,
    requires: 'signature.wrong-secret',
    run: rejects(() => ({ timestamp: secondsFromNow(-4), headers: { 'webhook-timestamp': secondsFromNow(-2) } })),
  }),
  must('signature.empty', 'An empty signature ("v1,") is rejected (4xx)', RULE_6, {
    fix: COMPARE_WHOLE,
    requires: 'signature.wrong-secret',
    run: rejects(() => ['', 'v1,', 'v1', ','].map((value) => ({ signature: () => value }))),
  }),
  must('signature.shortened', 'The first characters of a valid signature are rejected (4xx)', RULE_6, {
    fix: `${COMPARE_WHOLE} A 500 here often comes from timingSafeEqual, which throws if the lengths differ.`,
    requires: 'signature.wrong-secret',
    run: rejects(() => [1, 12, 40].map((length) => ({ signature: (valid) => versioned(valid.slice(0, length)) }))),
  }),
  should('signature.trailing-garbage', 'A valid signature with extra characters is rejected (4xx)', RULE_6, {
    fix: `${COMPARE_WHOLE} Compare the texts, or decode strictly: b64decode and Buffer.from ignore characters that are not base64.`,
    requires: 'signature.wrong-secret',
    run: rejects(() => ['AAAA', '!', ',v1'].map((tail) => ({ signature: (valid) => versioned(valid + tail) }))),
  }),
  must('signature.not-base64', 'A signature that is not base64 is rejected (4xx)', RULE_6, {
    fix: 'Answer 401 if the signature cannot be decoded or compared. In Python, catch binascii.Error, and compare bytes: compare_digest throws a TypeError for text that is not ASCII. In Go and Java, handle the error for illegal base64.',
    requires: 'signature.wrong-secret',
    run: rejects(() => [
      { signature: () => versioned('%%% not base64 %%%') },
      // One character more than a multiple of four, and too long to begin a valid signature by chance.
      { signature: () => versioned('aaaaa') },
      { signature: (valid) => versioned(`\u00c3\u00a9${valid.slice(2)}`) },
    ]),
  }),
  must('signature.version', 'A valid signature with another version ("v2,", "v1a,") is rejected (4xx)', RULE_4, {
    fix: TRY_EACH_ENTRY,
    requires: 'signature.wrong-secret',
    run: rejects(() => ['v2,', 'v1a,', 'v10,', 'v0,'].map((version) => ({ signature: (valid) => version + valid }))),
  }),
  must('signature.without-version', 'A valid signature without a version is rejected (4xx)', RULE_4, {
    fix: TRY_EACH_ENTRY,
    requires: 'signature.wrong-secret',
    run: rejects(() => [{ signature: (valid) => valid }, { signature: (valid) => `,${valid}` }]),
  }),
  must('signature.right-one-first', 'Several signatures are accepted if the first is valid (2xx)', RULE_4, {
    fix: TRY_EACH_ENTRY,
    run: accepts(() => ({ signature: (valid) => `${versioned(valid)} ${wrong()}` })),
  }),
  must('signature.right-one-last', 'Several signatures are accepted if the last is valid (2xx)', RULE_4, {
    fix: TRY_EACH_ENTRY,
    run: accepts(() => ({ signature: (valid) => `${wrong()} ${wrong()} ${versioned(valid)}` })),
  }),
  must('signature.among-unknown-versions', 'A valid v1 signature among other versions is accepted (2xx)', RULE_4, {
    fix: TRY_EACH_ENTRY,
    run: accepts(() => [
      { signature: (valid) => `${wrong('v2')} ${versioned(valid)}` },
      { signature: (valid) => `${versioned(valid)} ${wrong('v1a')}` },
    ]),
  }),
  must('signature.all-wrong', 'Several signatures are rejected if none is valid (4xx)', RULE_4, {
    fix: TRY_EACH_ENTRY,
    requires: 'signature.wrong-secret',
    run: rejects(() => ({ signature: () => `${wrong()} ${wrong()}` })),
  }),
  must('signature.endpoint-events', 'endpoint.* events with a wrong signature are rejected (4xx)', RULES_3_6, {
    fix: 'Verify the signature before you read event_type. Answer no kind of event before that.',
    requires: 'signature.wrong-secret',
    run: rejects(() =>
      ['endpoint.verification', 'endpoint.test'].map((kind) => ({ body: eventBody(kind), signer: strangerSigner() })),
    ),
  }),
])

export const secretChecks = group('Secrets', [
  must('secret.base64url', 'A secret with "-" or "_" is decoded as base64url', '§5, secret', {
    fix: DECODE_BASE64URL,
    run: acceptsSecret(
      (secrets) => secrets.find(({ encodedKey }) => /[-_]/.test(encodedKey)),
      'no secret contains "-" or "_"; pass one that does with --second-secret-file, and configure it in the receiver',
    ),
  }),
  must('secret.without-padding', 'A secret without padding is decoded', '§5, secret', {
    fix: DECODE_BASE64URL,
    run: acceptsSecret(
      (secrets) => secrets.find(({ encodedKey }) => encodedKey.length % 4 !== 0),
      'no secret needs padding; pass one that does with --second-secret-file, and configure it in the receiver',
    ),
  }),
  must('secret.rotation', 'The second secret of a rotation is accepted (2xx)', '§5, receiver rule 4; open point 14', {
    fix: 'Try every configured secret. For 24 h after a rotation the service signs with the old and the new secret, and your receiver may have either.',
    run: acceptsSecret(([, second]) => second, 'no second secret was given (--second-secret-file)'),
  }),
])

function acceptsSecret(
  choose: (secrets: Examination['secrets']) => Secret | undefined,
  reasonForNone: string,
): RunCheck {
  return async (examination) => {
    const secret = choose(examination.secrets)
    return secret === undefined
      ? notTested(reasonForNone)
      : await accepts(() => ({ signer: secret.signer }))(examination)
  }
}

/** A signature in the right form, made with another key. */
function wrong(version = 'v1'): string {
  return `${version},${strangerSigner().sign('', '', new Uint8Array())}`
}
