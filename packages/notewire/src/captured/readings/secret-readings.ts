import { SIGNING_SECRET_PREFIX } from '@notewire/protocol'
import type { Difference, DifferenceCode, Reading } from './difference.ts'

const COPY_FIX = 'Store the secret as it was shown, from "whsec_" to its last character, and nothing around it.'
const SENDER_FIX =
  'The key is what base64url makes of the text after "whsec_" (contract §5). Whoever signed this did not decode it so: correct the sender, or, if it is a test of yours, its signing.'

/**
 * The keys that a secret may have been taken for: the contract's first, if the secret is well-formed; then what is left when the
 * secret was stored badly, or read otherwise by whoever signed.
 */
export function secretReadings(secret: string): readonly Reading<Uint8Array>[] {
  const stored = storedForms(secret)
  // A secret that was stored badly is likelier than one that was misread, should both come to the same key.
  return [...further(stored, contractKeys), ...further(stored, misreadKeys)]
}

function further(
  stored: readonly Reading<string>[],
  keysOf: (secret: string) => readonly Reading<Uint8Array>[],
): readonly Reading<Uint8Array>[] {
  return stored.flatMap(({ value, differences }) =>
    keysOf(value).map((key) => ({ value: key.value, differences: [...differences, ...key.differences] })),
  )
}

/** The secret as it is, and without what comes with copying it. */
function storedForms(secret: string): readonly Reading<string>[] {
  const forms: Reading<string>[] = [{ value: secret, differences: [] }]
  const clean = (code: DifferenceCode, what: string, pattern: RegExp, replacement = '') => {
    const { value, differences } = forms.at(-1) ?? { value: secret, differences: [] }
    const cleaned = value.replace(pattern, replacement)
    if (cleaned !== value) {
      forms.push({ value: cleaned, differences: [...differences, difference(code, what, COPY_FIX)] })
    }
  }
  clean(
    'secret_whitespace',
    'the secret has white space or a line break around it',
    /^[\s\ufeff\u200b]+|[\s\ufeff\u200b]+$/g,
  )
  clean(
    'secret_name_before',
    'the secret has the name of its variable before it',
    /^(?:export\s+)?\w+\s*=\s*(?=["']?whsec_)/,
  )
  clean('secret_quotes', 'the secret has quotes around it', /^(["'`])([\s\S]*)\1$/, '$2')
  clean('secret_whitespace', 'the secret has white space or a line break within it', /\s+/g)
  clean(
    'secret_prefix_lost',
    `the secret lacks its prefix "${SIGNING_SECRET_PREFIX}"`,
    /^(?!whsec_)(?=[\w+/-]{22,}={0,2}$)/,
    SIGNING_SECRET_PREFIX,
  )
  return forms
}

/** The key that the contract gives a secret (§5): none, when it is malformed. */
function contractKeys(secret: string): readonly Reading<Uint8Array>[] {
  const base64 = base64In(secret)
  const isBase64 = /^[A-Za-z0-9+/_-]+$/.test(base64) && base64.length % 4 !== 1
  return isBase64 ? [{ value: decoded(base64), differences: [] }] : []
}

function base64In(secret: string): string {
  return secret.startsWith(SIGNING_SECRET_PREFIX) ? secret.slice(SIGNING_SECRET_PREFIX.length).replace(/=+$/, '') : ''
}

function misreadKeys(secret: string): readonly Reading<Uint8Array>[] {
  const text = secret.startsWith(SIGNING_SECRET_PREFIX) ? secret.slice(SIGNING_SECRET_PREFIX.length) : ''
  const base64 = base64In(secret)
  return [
    sender('secret_empty', 'with an empty secret', utf8('')),
    sender('secret_as_text', 'with the whole secret as text, not decoded', utf8(secret)),
    sender('secret_without_prefix_as_text', 'with the text after "whsec_", not decoded', utf8(text)),
    sender('secret_as_text_with_newline', 'with the whole secret and a line break as text', utf8(`${secret}\n`)),
    sender('secret_prefix_decoded', 'with "whsec_" decoded as a part of the secret', decoded(secret)),
    sender(
      'secret_alphabet',
      'with "-" and "_" left out, as decoders of standard base64 do with what they do not know',
      decoded(base64.replace(/[-_]/g, '')),
    ),
    sender(
      'secret_alphabet',
      'with the secret decoded up to the first "-" or "_" alone',
      decoded(base64.replace(/[-_].*$/, '')),
    ),
    sender(
      'secret_cut_to_padding',
      'with the end of the secret cut off, for want of padding',
      decoded(base64.slice(0, base64.length - (base64.length % 4))),
    ),
    ...(/^(?:[\da-f]{2})+$/i.test(text)
      ? [sender('secret_hex', 'with the secret decoded as hexadecimal', Buffer.from(text, 'hex'))]
      : []),
    sender('secret_hex', 'with the key as hexadecimal text', utf8(decoded(base64).toString('hex'))),
  ]
}

function sender(code: DifferenceCode, how: string, key: Buffer): Reading<Uint8Array> {
  const fix =
    code === 'secret_empty' ? 'The sender had no secret: look whether its environment variable is set.' : SENDER_FIX
  return { value: key, differences: [difference(code, `the request was signed ${how}`, fix)] }
}

function difference(code: DifferenceCode, what: string, fix: string): Difference {
  return { code, subject: 'secret', what, fix }
}

function utf8(text: string): Buffer {
  return Buffer.from(text, 'utf8')
}

/** Node.js decodes both alphabets of base64 alike. */
function decoded(base64: string): Buffer {
  return Buffer.from(base64, 'base64')
}
