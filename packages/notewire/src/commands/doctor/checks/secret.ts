import { type Draft, failed, group, must, notTested } from '../check.ts'
import { signerWithKey } from '../delivery.ts'
import { isAccepted } from '../send.ts'

const DECODE_BASE64URL =
  "Decode the text after whsec_ as base64url: base64.urlsafe_b64decode(text + '=' * (-len(text) % 4)) in Python, base64.RawURLEncoding in Go, Base64.urlsafe_decode64 in Ruby, Base64.getUrlDecoder() in Java, Buffer.from(text, 'base64url') in Node.js."

/** Letters that belong to the prefix of a secret, and begin its key. */
const BEGINNING = /^[whsec_]+/

export const secretChecks = group('Secrets', [
  must('secret.base64url', 'a delivery signed with a secret that contains "-" or "_"', '§5, secret', {
    fix: DECODE_BASE64URL,
    accepts: signedWithSecret('contains "-" or "_"', (encodedKey) => /[-_]/.test(encodedKey)),
  }),
  must('secret.without-padding', 'a delivery signed with a secret that needs padding', '§5, secret', {
    fix: DECODE_BASE64URL,
    accepts: signedWithSecret('needs padding', (encodedKey) => encodedKey.length % 4 !== 0),
  }),
  must(
    'secret.beginning',
    'a delivery signed with a secret whose key begins with "w", "h", "s", "e", "c" or "_"',
    '§5, secret',
    {
      fix: 'Remove the prefix "whsec_" as a whole: text.removeprefix("whsec_") in Python, not lstrip("whsec_"), which also removes the letters w, h, s, e, c and _ that follow it.',
      accepts: signedWithSecret('begins with w, h, s, e, c or _ after the prefix', (encodedKey) =>
        BEGINNING.test(encodedKey),
      ),
      // Rejecting the secret is this mistake only if the receiver accepts the key without the letters.
      diagnose: async ({ secrets, deliver }, exchange, seen) => {
        const { encodedKey } = secrets.find((secret) => BEGINNING.test(secret.encodedKey)) ?? secrets[0]
        const cut = signerWithKey(Buffer.from(encodedKey.replace(BEGINNING, ''), 'base64url'))
        if (isAccepted((await deliver({ signer: cut })).reply)) return failed(exchange, seen)
        return notTested('the receiver rejects this secret for another reason')
      },
    },
  ),
  must(
    'secret.rotation',
    'a delivery signed with the second secret of a rotation',
    '§5, receiver rule 4; open point 14',
    {
      fix: 'Try every configured secret. For 24 h after a rotation the service signs with the old and the new secret, and your receiver may have either.',
      accepts: ({ secrets: [, second] }) =>
        second === undefined ? 'no second secret was given (--second-secret-file)' : { signer: second.signer },
    },
  ),
])

function signedWithSecret(property: string, hasIt: (encodedKey: string) => boolean): Draft {
  return ({ secrets }) => {
    const secret = secrets.find(({ encodedKey }) => hasIt(encodedKey))
    if (secret !== undefined) return { signer: secret.signer }
    return `not tested with this secret, which does not show it: pass one that ${property} with --second-secret-file, and configure it in the receiver`
  }
}
