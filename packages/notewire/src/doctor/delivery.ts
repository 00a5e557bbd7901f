import { SIGNATURE_HEADERS, SIGNATURE_VERSION } from '@notewire/protocol'
import type { Signer } from './signer.ts'
import { testId } from './test-event.ts'

export interface Delivery {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** How a request differs from a valid delivery. */
export interface DeliveryTraits {
  /** The body that is signed. It is also sent, unless `sentBody` is set. */
  readonly body: string | Uint8Array
  readonly sentBody?: string
  readonly webhookId?: string
  /** The text of the header. Default: the current Unix time in seconds. */
  readonly timestamp?: string
  /** Makes the signature header from the valid signature in base64. Default: `v1,` and the signature. */
  readonly signature?: (valid: string) => string
  readonly signer: Signer
  /** Replaces headers after signing; `undefined` removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Changes the names of the headers. Default: lower case. */
  readonly rename?: (name: string) => string
  readonly method?: string
  readonly url: URL
}

export function makeDelivery(traits: DeliveryTraits): Delivery {
  const { method = 'POST', url, signer, signature = versioned, body, sentBody = body } = traits
  const { webhookId = testId('attempt'), timestamp = secondsFromNow(0), rename = (name) => name } = traits
  const headers: Record<string, string | undefined> = {
    'content-type': 'application/json',
    'user-agent': 'notewire-doctor',
    [SIGNATURE_HEADERS.id]: webhookId,
    [SIGNATURE_HEADERS.timestamp]: timestamp,
    [SIGNATURE_HEADERS.signature]: signature(signer.sign(webhookId, timestamp, Buffer.from(body))),
    ...traits.headers,
  }
  return {
    method,
    url,
    headers: Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[rename(name), value]])),
    ),
    body: Buffer.from(sentBody),
  }
}

/** How long a large body takes depends on the network. */
export function isLarge({ body }: Delivery): boolean {
  return body.length > 65_536
}

export function versioned(signature: string): string {
  return `${SIGNATURE_VERSION},${signature}`
}

/** A Unix time in seconds, as in the header. */
export function secondsFromNow(seconds: number): string {
  return String(Math.floor(Date.now() / 1000) + seconds)
}
