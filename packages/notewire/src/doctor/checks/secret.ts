import type { Bench } from '../bench.ts'
import { type CheckGroup, held, missed, untested } from '../check.ts'
import { describeExchange, isAcknowledged } from '../reply.ts'
import { type Signer, textAfterPrefix } from '../signer.ts'

const DECODE_BASE64URL =
  "Decode what follows whsec_ as base64url: Buffer.from(text, 'base64url') in Node.js, base64.urlsafe_b64decode(text + '=' * (-len(text) % 4)) in Python, base64.RawURLEncoding in Go, Base64.urlsafe_decode64 in Ruby."

/** How the secret becomes a key (contract §5, secret). */
export const secret: CheckGroup = {
  title: 'Secrets',
  checks: [
    {
      id: 'secret.base64url',
      title: 'A secret with "-" or "_" is decoded as base64url',
      section: '§5, secret',
      severity: 'must',
      fix: DECODE_BASE64URL,
      examine: withSecretThat(
        (text) => /[-_]/.test(text),
        'neither secret has a "-" or "_"; give a second one that has, and let the receiver accept both',
      ),
    },
    {
      id: 'secret.without-padding',
      title: 'A secret whose padding was left off is decoded',
      section: '§5, secret',
      severity: 'must',
      fix: DECODE_BASE64URL,
      examine: withSecretThat(
        (text) => text.length % 4 !== 0,
        'no secret needs padding; give a second one that does, and let the receiver accept both',
      ),
    },
    {
      id: 'secret.rotation',
      title: 'A delivery signed with the second secret of a rotation is accepted',
      section: '§5, receiver rule 4; open point 14',
      severity: 'must',
      fix: 'Try every secret that is configured. After a rotation the service signs with the old and the new one for 24 h, and your receiver may know either.',
      examine: async ({ second, deliver }) => {
        if (second === undefined) return untested('no second secret was given')
        const exchange = await deliver({ signer: second.signer })
        const seen = describeExchange(exchange)
        return isAcknowledged(exchange.reply) ? held(seen) : missed(exchange, `${seen}, where a 2xx is due`)
      },
    },
  ],
}

function withSecretThat(isTelling: (text: string) => boolean, reason: string) {
  return async ({ secret, signer, second, deliver }: Bench) => {
    const secrets: { secret: string; signer: Signer }[] = [
      { secret, signer },
      ...(second === undefined ? [] : [second]),
    ]
    const telling = secrets.find((each) => isTelling(textAfterPrefix(each.secret)))
    if (telling === undefined) return untested(reason)
    const exchange = await deliver({ signer: telling.signer })
    const seen = describeExchange(exchange)
    return isAcknowledged(exchange.reply) ? held(seen) : missed(exchange, `${seen}, where a 2xx is due`)
  }
}
