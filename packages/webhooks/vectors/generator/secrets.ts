import { anAttempt, keyOf, refused, secretOf, type Vector, type VectorFile, verified } from './vector.ts'

/** Its base64url text holds both of the characters that standard base64 has not. */
const DASHED = keyContaining('-', '_')

export const secrets: VectorFile = {
  description: 'Signing secrets: base64url, with "-" and "_", padded and not, and keys of several lengths.',
  cases: [
    verifiedUnder('"-" and "_" in the secret', DASHED, secretOf(DASHED)),
    verifiedUnder('"-" and "_", padded', DASHED, `whsec_${padded(DASHED.toString('base64url'))}`),
    verifiedUnder('a standard base64 secret, padded', DASHED, `whsec_${DASHED.toString('base64')}`),
    verifiedUnder(
      'a standard base64 secret, not padded',
      DASHED,
      `whsec_${DASHED.toString('base64').replaceAll('=', '')}`,
    ),
    ...[16, 17, 18, 24, 64, 65, 100].flatMap((length) => {
      const key = keyOf('a key of another length', length)
      const text = key.toString('base64url')
      const plain = verifiedUnder(`a key of ${length} bytes`, key, `whsec_${text}`)
      return text.length % 4 === 0
        ? [plain]
        : [plain, verifiedUnder(`a key of ${length} bytes, padded`, key, `whsec_${padded(text)}`)]
    }),
    refused('another endpoint signed it', 'no-matching-signature', anAttempt({ key: keyOf('another endpoint') })),
    refused(
      'signed with the text of the secret instead of its bytes',
      'no-matching-signature',
      anAttempt({ key: Buffer.from(secretOf(DASHED)) }),
      { secrets: [secretOf(DASHED)] },
    ),
    refused(
      'signed with the base64url text of the key instead of its bytes',
      'no-matching-signature',
      anAttempt({ key: Buffer.from(DASHED.toString('base64url')) }),
      { secrets: [secretOf(DASHED)] },
    ),
    refused(
      'signed with what is left when "-" and "_" are skipped',
      'no-matching-signature',
      anAttempt({ key: Buffer.from(DASHED.toString('base64url').replaceAll(/[-_]/g, ''), 'base64') }),
      { secrets: [secretOf(DASHED)] },
    ),
  ],
}

function verifiedUnder(name: string, key: Buffer, secret: string): Vector {
  return verified(name, anAttempt({ key }), { secrets: [secret] })
}

function padded(text: string): string {
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=')
}

function keyContaining(...characters: readonly string[]): Buffer {
  for (let attempt = 0; ; attempt += 1) {
    const key = keyOf(`a key with special characters ${attempt}`)
    if (characters.every((character) => key.toString('base64url').includes(character))) return key
  }
}
