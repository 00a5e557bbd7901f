/** What a secret looks like wherever it stands: an API key, a signing secret (contract §2, §5). */
const SECRET_FORMS = /\b[A-Za-z0-9]+_live_[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+|\bwhsec_[A-Za-z0-9+/_=-]+/g

/** Takes secrets out of what is shown of an error: those that the run has read, and whatever looks like one. */
export class Concealment {
  readonly #secrets = new Set<string>()

  /** A field, so that it can be handed on. */
  readonly add = (secret: string): void => {
    // Taking out a short text would only garble.
    if (secret.length >= 8) this.#secrets.add(secret)
  }

  conceal(text: string): string {
    let shown = text
    for (const secret of this.#secrets) shown = shown.replaceAll(secret, '[secret]')
    return shown.replace(SECRET_FORMS, '[secret]')
  }
}
