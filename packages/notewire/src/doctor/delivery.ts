import { SIGNATURE_HEADERS, SIGNATURE_VERSION } from '@notewire/protocol'
import { madeUpId } from './made-up-event.ts'
import type { Signer } from './signer.ts'

/** One request to a receiver, ready to be sent, or shown to be repeated. */
export interface Delivery {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
}

/** A body, kept in the form in which it can be shown. */
export interface Body {
  readonly bytes: Buffer
  /** Spaces that follow the bytes: how large bodies are made. */
  readonly trailingSpaces: number
}

/** How a request differs from a valid delivery. */
export interface DeliveryTraits {
  /** What is signed, and sent unless `sentBody` says otherwise. */
  readonly body: string | Uint8Array
  readonly trailingSpaces?: number | undefined
  /** Sent in place of what was signed. */
  readonly sentBody?: string | undefined
  /** @default a new one */
  readonly webhookId?: string | undefined
  /** As it stands in the header. Default: now. */
  readonly timestamp?: string | undefined
  /** Makes the header of the right signature, which comes in base64. Default: `v1,` before it. */
  readonly signature?: ((right: string) => string) | undefined
  readonly signer?: Signer | undefined
  /** Replaces headers once all is signed; `undefined` takes one away. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  /** How the names of headers are written. Default: in lower case. */
  readonly rename?: ((name: string) => string) | undefined
  /** @default 'POST' */
  readonly method?: string | undefined
  /** @default the receiver's */
  readonly url?: URL | undefined
}

/** Makes the request that the traits describe: signed as of now, by the service's rules (contract §5). */
export function makeDelivery(traits: DeliveryTraits, target: { readonly url: URL; readonly signer: Signer }): Delivery {
  const { trailingSpaces = 0, webhookId = madeUpId('attempt'), timestamp = secondsFromNow(0) } = traits
  const signed: Body = { bytes: Buffer.from(traits.body), trailingSpaces }
  const right = (traits.signer ?? target.signer).sign(webhookId, timestamp, bytesOf(signed))
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'notewire-doctor',
    [SIGNATURE_HEADERS.id]: webhookId,
    [SIGNATURE_HEADERS.timestamp]: timestamp,
    [SIGNATURE_HEADERS.signature]: (traits.signature ?? versioned)(right),
  }
  return {
    method: traits.method ?? 'POST',
    url: traits.url ?? target.url,
    headers: withChanges(headers, traits.headers ?? {}, traits.rename),
    body: traits.sentBody === undefined ? signed : { ...signed, bytes: Buffer.from(traits.sentBody) },
  }
}

/** The whole of a body. */
export function bytesOf({ bytes, trailingSpaces }: Body): Buffer {
  return trailingSpaces === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(trailingSpaces, ' ')])
}

/** An entry of the signature header. */
export function versioned(signature: string): string {
  return `${SIGNATURE_VERSION},${signature}`
}

/** The Unix time so many seconds from now, as a header carries it. */
export function secondsFromNow(seconds: number): string {
  return String(Math.floor(Date.now() / 1000) + seconds)
}

function withChanges(
  headers: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | undefined>>,
  rename: (name: string) => string = (name) => name,
): Readonly<Record<string, string>> {
  const merged = Object.entries({ ...headers, ...changes })
  return Object.fromEntries(merged.flatMap(([name, value]) => (value === undefined ? [] : [[rename(name), value]])))
}
