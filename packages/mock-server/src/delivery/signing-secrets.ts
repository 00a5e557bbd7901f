import { type SignedMessage, type SigningSecret, signingSecretOf } from './signing-secret.ts'

/** How long a secret goes on signing beside the one that replaced it, in milliseconds: 24 h (open point 14). */
const OVERLAP_MS = 24 * 60 * 60 * 1000

/** The secrets of one endpoint: the current one, and those that it replaced and that still sign. */
export class SigningSecrets {
  readonly #makeKey: () => Uint8Array<ArrayBuffer>
  #current: SigningSecret
  #replaced: readonly { readonly secret: SigningSecret; readonly until: number }[] = []

  constructor(makeKey: () => Uint8Array<ArrayBuffer>) {
    this.#makeKey = makeKey
    this.#current = signingSecretOf(makeKey())
  }

  /** The current secret, as the receiver is told it. */
  get text(): string {
    return this.#current.text
  }

  /** Makes a new secret. The current one signs beside it for 24 hours. */
  rotate(now: number): void {
    this.#replaced = [{ secret: this.#current, until: now + OVERLAP_MS }, ...this.#replaced]
    this.#current = signingSecretOf(this.#makeKey())
  }

  /** The value of `webhook-signature`: an entry for every secret that signs, the newest first (contract §5). */
  sign(message: SignedMessage, now: number): string {
    const secrets = [this.#current, ...this.#replaced.flatMap(({ secret, until }) => (now < until ? secret : []))]
    return secrets.map((secret) => secret.sign(message)).join(' ')
  }

  /** What somebody signs who missed the last rotation. Before the first one, what nobody can verify. */
  signOutdated(message: SignedMessage): string {
    const outdated = this.#replaced[0]?.secret ?? signingSecretOf(this.#makeKey())
    return outdated.sign(message)
  }
}
