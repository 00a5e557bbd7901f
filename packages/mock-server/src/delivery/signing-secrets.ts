import { SIGNING_SECRET_PREFIX } from '@notewire/protocol'
import { decodeBase64Url, encodeBase64Url } from 'hono/utils/encode'
import { Webhook } from 'standardwebhooks'
import { randomBytes } from '../seed/random-secrets.ts'

/** How long deliveries are also signed with a replaced secret, in milliseconds: 24 h (open point 14). */
const OVERLAP_MS = 24 * 60 * 60 * 1000

interface SignedMessage {
  readonly webhook_id: string
  readonly body: string
  readonly at: number
}

interface SigningSecret {
  /** `whsec_` and base64url text. */
  readonly text: string
  /** Returns `v1,<base64>`, made by the library of the Standard Webhooks specification. */
  sign(message: SignedMessage): string
}

function signingSecretOf(key: Uint8Array<ArrayBuffer>): SigningSecret {
  // The library reads text as base64, but the secret is base64url, so it gets the bytes.
  const webhook = new Webhook(key, { format: 'raw' })
  return {
    text: SIGNING_SECRET_PREFIX + encodeBase64Url(key.buffer).replace(/(?<!=)=+$/, ''),
    sign: ({ webhook_id, body, at }) => webhook.sign(webhook_id, new Date(at), body),
  }
}

const SIGNING_KEY_BYTES = 32

/**
 * A random key whose base64url text begins with "_", and needs padding. It shows faults of receivers that other secrets hide: standard base64 has
 * no "_", and `lstrip('whsec_')` removes it together with the prefix.
 */
export function randomSigningKey(): Uint8Array<ArrayBuffer> {
  const key = randomBytes(SIGNING_KEY_BYTES)
  key[0] = 0xfc | (key[0] ?? 0)
  return key
}

/** The bytes of a secret: `whsec_` and base64url text. */
export function keyOfSecret(text: string): Uint8Array<ArrayBuffer> {
  return decodeBase64Url(text.slice(SIGNING_SECRET_PREFIX.length))
}

/** The secrets of one endpoint: the current one, and the replaced ones with which deliveries are still signed. */
export class SigningSecrets {
  readonly #makeKey: () => Uint8Array<ArrayBuffer>
  #current: SigningSecret
  #replaced: readonly { readonly secret: SigningSecret; readonly until: number }[] = []

  constructor(makeKey: () => Uint8Array<ArrayBuffer>, first = makeKey()) {
    this.#makeKey = makeKey
    this.#current = signingSecretOf(first)
  }

  get text(): string {
    return this.#current.text
  }

  /** Creates a new secret. For 24 hours, deliveries are also signed with the replaced one. */
  rotate(now: number): void {
    this.#replaced = [{ secret: this.#current, until: now + OVERLAP_MS }, ...this.#replaced]
    this.#current = signingSecretOf(this.#makeKey())
  }

  /** The value of `webhook-signature`: an entry for every secret in use, the newest first (contract §5). */
  sign(message: SignedMessage, now: number): string {
    const secrets = [this.#current, ...this.#replaced.flatMap(({ secret, until }) => (now < until ? secret : []))]
    return secrets.map((secret) => secret.sign(message)).join(' ')
  }

  /** Signs with the secret before the last rotation, or with a random one before the first rotation. */
  signWithOldSecret(message: SignedMessage): string {
    const old = this.#replaced[0]?.secret ?? signingSecretOf(this.#makeKey())
    return old.sign(message)
  }
}
