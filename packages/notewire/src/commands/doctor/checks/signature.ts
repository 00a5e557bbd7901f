import { group, must, should, type Variant } from '../check.ts'
import {
  eventBody,
  idForSignature,
  secondsFromNow,
  signerWithKey,
  signerWithRandomKey,
  testEvent,
  testId,
  versioned,
} from '../delivery.ts'
import type { Examination } from '../examination.ts'
import { isAccepted } from '../send.ts'

const RULE_1 = '§5, receiver rule 1'
const RULE_4 = '§5, receiver rule 4'
const RULE_6 = '§5, receiver rule 6'
const SIGNED_CONTENT = '§5, signed_content'

const VERIFY_SIGNATURE =
  'Compute the HMAC-SHA256 over the ID, the timestamp and the raw body, compare it with the header, and answer 401 if they differ. The test vectors of @notewire/webhooks (JSON files) test a verifier in any language.'

const SIGN_HEADER_VALUES =
  'Compute the HMAC over "{webhook-id}.{webhook-timestamp}.{raw body}" with the values of the headers. Otherwise an old delivery is valid under a new ID or time.'

const COMPARE_WHOLE =
  'Compare both complete signatures in constant time: hmac.compare_digest (Python), hmac.Equal (Go), ActiveSupport::SecurityUtils.secure_compare (Rails), hash_equals (PHP), MessageDigest.isEqual (Java), crypto.timingSafeEqual after comparing the lengths (Node.js).'

const UNESCAPED =
  'Use the value of webhook-signature as it is: do not decode it as a URL or a form, where "+" is a space, and do not make a regular expression of it.'

const TRY_EACH_ENTRY =
  'Split webhook-signature at spaces, ignore entries that do not start with "v1,", and accept the delivery if any of them is valid: during a rotation the service sends several.'

/** One only, and not the other: a second "+" or a "/" would hide which of them the receiver fails for. */
const ONE_PLUS = /^[^+/]*\+[^+/]*$/
const ONE_SLASH = /^[^+/]*\/[^+/]*$/

/** What a receiver without a secret may use as the key. */
const GUESSABLE_KEYS = [
  '',
  'undefined',
  'null',
  'None',
  '<nil>',
  '[object Object]',
  'secret',
  'whsec_',
  '\0'.repeat(32),
]

export const signatureChecks = group('Signatures', [
  must('signature.tampered-body', 'a body that was changed after signing', RULE_6, {
    fix: VERIFY_SIGNATURE,
    rejects: ({ acceptedKind }) => {
      const body = eventBody(acceptedKind, { revision: 1 })
      return { body, sentBody: body.replace('"revision":1', '"revision":2') }
    },
  }),
  must('signature.wrong-secret', 'a delivery signed with another secret', RULE_6, {
    fix: VERIFY_SIGNATURE,
    rejects: () => ({ signer: signerWithRandomKey() }),
  }),
  must('signature.equivalent-body', 'a body that was written differently after signing', RULE_1, {
    fix: 'Compute the HMAC over the bytes of the body as they arrived, and over nothing else: no parsed, trimmed or normalized form.',
    requires: 'signature.tampered-body',
    rejects: ({ acceptedKind = 'note.updated' }) => {
      // With sorted keys and without white space, as receivers write it that do not verify the raw body.
      const {
        event_id,
        event_type,
        occurred_at,
        data: { note_id, revision },
      } = testEvent(acceptedKind)
      const data = { note_id, revision }
      const body = JSON.stringify({ data, event_id, event_type, occurred_at })
      return [
        { what: 'indented', body, sentBody: JSON.stringify(JSON.parse(body), null, 2) },
        { what: 'keys in another order', body, sentBody: JSON.stringify({ event_id, event_type, occurred_at, data }) },
        { what: 'a line break at the end', body, sentBody: `${body}\n` },
      ]
    },
  }),
  must('signature.guessable-key', 'a delivery signed with a guessable or missing secret', RULE_6, {
    fix: 'Do not start, or answer 503, if no secret is configured. Anyone can compute an HMAC with an empty key, or with the text of a missing value ("None", "undefined").',
    requires: 'signature.wrong-secret',
    rejects: () =>
      GUESSABLE_KEYS.map((key) => ({ what: `key ${JSON.stringify(key)}`, signer: signerWithKey(Buffer.from(key)) })),
  }),
  must('signature.other-webhook-id', 'a signature for another webhook-id', SIGNED_CONTENT, {
    fix: SIGN_HEADER_VALUES,
    requires: 'signature.wrong-secret',
    rejects: () => ({ headers: { 'webhook-id': testId('attempt') } }),
  }),
  must('signature.other-timestamp', 'a signature for another timestamp', SIGNED_CONTENT, {
    fix: SIGN_HEADER_VALUES,
    requires: 'signature.wrong-secret',
    rejects: () => ({ timestamp: secondsFromNow(-4), headers: { 'webhook-timestamp': secondsFromNow(-2) } }),
  }),
  must('signature.empty', 'an empty signature', RULE_6, {
    fix: COMPARE_WHOLE,
    requires: 'signature.wrong-secret',
    rejects: () => ['', 'v1,', 'v1', ','].map((value) => ({ what: `"${value}"`, signature: () => value })),
  }),
  must('signature.shortened', 'the beginning of a valid signature', RULE_6, {
    fix: `${COMPARE_WHOLE} A 500 often comes from a comparison that throws an error if the lengths differ.`,
    requires: 'signature.wrong-secret',
    rejects: () =>
      [1, 12, 40].map((length) => ({
        what: `${length} characters`,
        signature: (valid) => versioned(valid.slice(0, length)),
      })),
  }),
  must('signature.other-case', 'a valid signature whose letters are in another case', RULE_6, {
    fix: `${COMPARE_WHOLE} Base64 distinguishes capitals from small letters: without the case, a signature is much easier to guess.`,
    requires: 'signature.wrong-secret',
    rejects: () => [
      { what: 'small letters', signature: (valid) => versioned(valid.toLowerCase()) },
      { what: 'capitals', signature: (valid) => versioned(valid.toUpperCase()) },
    ],
  }),
  must('signature.plus', 'a valid signature that contains "+"', '§5, webhook-signature', {
    fix: UNESCAPED,
    accepts: (examination) => tellingDelivery(examination, ONE_PLUS),
  }),
  must('signature.slash', 'a valid signature that contains "/"', '§5, webhook-signature', {
    fix: UNESCAPED,
    accepts: (examination) => tellingDelivery(examination, ONE_SLASH),
  }),
  // A receiver that decodes the signature and compares the bytes is right, and may accept some of these.
  should('signature.other-spelling', 'a valid signature in another spelling', RULE_6, {
    fix: COMPARE_WHOLE,
    requires: 'signature.wrong-secret',
    acceptsOrRejects: (examination) => {
      const telling = tellingDelivery(examination, /[+/]/)
      return [
        {
          what: 'base64url',
          ...telling,
          signature: (valid) => versioned(valid.replaceAll('+', '-').replaceAll('/', '_')),
        },
        { what: 'without padding', signature: (valid) => versioned(valid.replace('=', '')) },
        { what: 'percent-encoded', signature: (valid) => versioned(encodeURIComponent(valid)) },
        { what: 'after a tab', signature: (valid) => versioned(`\t${valid}`) },
        { what: 'in quotes', signature: (valid) => versioned(`"${valid}"`) },
      ]
    },
  }),
  should('signature.trailing-garbage', 'a valid signature with extra characters', RULE_6, {
    fix: COMPARE_WHOLE,
    requires: 'signature.wrong-secret',
    rejects: trailingGarbage,
  }),
  must('signature.not-base64', 'a signature that is not base64', RULE_6, {
    fix: 'Answer 401 if the signature cannot be decoded or compared. In Python, catch binascii.Error, and compare bytes: compare_digest throws a TypeError for text that is not ASCII. In Go and Java, handle the error for illegal base64.',
    requires: 'signature.wrong-secret',
    rejects: () => [
      { signature: () => versioned('%%% not base64 %%%') },
      // One character more than a multiple of four, and too long to begin a valid signature by chance.
      { signature: () => versioned('aaaaa') },
      { signature: (valid) => versioned(`\u00c3\u00a9${valid.slice(2)}`) },
    ],
  }),
  must('signature.version', 'a valid signature with another version ("v2,", "v1a,")', RULE_4, {
    fix: TRY_EACH_ENTRY,
    requires: 'signature.wrong-secret',
    rejects: () =>
      ['v2,', 'v1a,', 'v10,', 'v0,', 'V1,'].map((version) => ({
        what: version,
        signature: (valid) => version + valid,
      })),
  }),
  must('signature.without-version', 'a valid signature without a version', RULE_4, {
    fix: TRY_EACH_ENTRY,
    requires: 'signature.wrong-secret',
    rejects: () => [{ signature: (valid) => valid }, { signature: (valid) => `,${valid}` }],
  }),
  must('signature.right-one-first', 'a valid signature before a wrong one', RULE_4, {
    fix: TRY_EACH_ENTRY,
    accepts: () => ({ signature: (valid) => `${versioned(valid)} ${wrong()}` }),
  }),
  must('signature.right-one-last', 'a valid signature after wrong ones', RULE_4, {
    fix: TRY_EACH_ENTRY,
    accepts: () => ({ signature: (valid) => `${wrong()} ${wrong()} ${versioned(valid)}` }),
  }),
  must('signature.among-unknown-versions', 'a valid v1 signature among other versions', RULE_4, {
    fix: TRY_EACH_ENTRY,
    accepts: () => [
      { signature: (valid) => `${wrong('v2')} ${versioned(valid)}` },
      { signature: (valid) => `${versioned(valid)} ${wrong('v1a')}` },
    ],
  }),
  must('signature.all-wrong', 'a list of wrong signatures', RULE_4, {
    fix: TRY_EACH_ENTRY,
    requires: 'signature.wrong-secret',
    rejects: () => ({ signature: () => `${wrong()} ${wrong()}` }),
  }),
])

/** A delivery whose signature contains certain characters. */
function tellingDelivery({ secrets: [{ signer }], acceptedKind }: Examination, characters: RegExp) {
  const body = eventBody(acceptedKind)
  const timestamp = secondsFromNow(0)
  const webhookId = idForSignature((valid) => characters.test(valid), { signer, timestamp, body })
  return { body, timestamp, webhookId }
}

/**
 * A decoder that ignores what is not base64 may ignore characters at the end, too. A receiver that does so everywhere decodes the signature, and
 * compares its bytes, which is right.
 */
async function* trailingGarbage({ deliver }: Examination): AsyncGenerator<Variant> {
  const inTheMiddle = await deliver({ signature: (valid) => versioned(`${valid.slice(0, 9)}!${valid.slice(9)}`) })
  for (const tail of isAccepted(inTheMiddle.reply) ? [] : ['AAAA', '!']) {
    yield { what: `"${tail}" at the end`, signature: (valid) => versioned(valid + tail) }
  }
  yield {
    what: 'more bytes before the padding',
    signature: (valid) => versioned(Buffer.concat([Buffer.from(valid, 'base64'), Buffer.alloc(3)]).toString('base64')),
  }
}

/** A signature in the right form, made with another key. */
function wrong(version = 'v1'): string {
  return `${version},${signerWithRandomKey().sign('', '', new Uint8Array())}`
}
