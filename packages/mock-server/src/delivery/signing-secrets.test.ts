import { describe, expect, it } from 'vitest'
import { randomSigningKey, SigningSecrets } from './signing-secrets.ts'

describe('a random signing secret', () => {
  const secrets = Array.from({ length: 50 }, () => new SigningSecrets(randomSigningKey).text)

  it('begins with "_" after its prefix and needs padding, so that it shows wrong decoders', () => {
    for (const secret of secrets) expect(secret).toMatch(/^whsec__[\w-]{42}$/)
  })

  it('is another one each time', () => expect(new Set(secrets).size).toBe(secrets.length))
})
