import type { NoteEventKind, OpenEnum } from './contract.ts'

/** The status of an endpoint (contract §3; open point 15). */
export type EndpointStatus = OpenEnum<'pending_verification' | 'active' | 'disabled'>

/** A registered webhook endpoint (contract §2; open point 13). */
export interface WebhookEndpoint {
  /** Identifies the endpoint. Copied from `id` if the service sends that instead. */
  readonly endpoint_id: string
  readonly url?: string | null | undefined
  readonly events?: readonly OpenEnum<NoteEventKind>[] | null | undefined
  readonly status?: EndpointStatus | null | undefined
  /** ISO 8601, UTC. */
  readonly created_at?: string | null | undefined
}

/** An endpoint in the one answer that shows its signing secret: at creation and at rotation (contract §2). */
export interface WebhookEndpointWithSecret extends WebhookEndpoint {
  /** `whsec_` and base64url text. Shown once: keep it where the receiver finds it, and out of logs. */
  readonly signing_secret: string
}
