import { NOTE_EVENT_KINDS, type WebhookEndpoint, type WebhookEndpointWithSecret } from '@notewire/protocol'
import * as z from 'zod/mini'
import { extended, identifiedBy, identifier, openEnum, text } from './fields.ts'

const fields = {
  endpoint_id: identifier,
  url: text,
  events: z.nullish(z.array(openEnum(NOTE_EVENT_KINDS))),
  status: z.nullish(openEnum(['pending_verification', 'active', 'disabled'])),
  created_at: text,
}

export const endpointRecord = z.looseObject(fields)
export const endpointRecordWithSecret = z.looseObject(extended(fields, { signing_secret: identifier }))

/** The schema of a {@link WebhookEndpoint} (contract §2; open point 13). It accepts `id` in place of `endpoint_id`. */
export const webhookEndpointSchema: z.ZodMiniType<WebhookEndpoint> = identifiedBy('endpoint_id', endpointRecord)

/** The schema of a {@link WebhookEndpointWithSecret}: the answer to a creation or a rotation (contract §2). */
export const webhookEndpointWithSecretSchema: z.ZodMiniType<WebhookEndpointWithSecret> = identifiedBy(
  'endpoint_id',
  endpointRecordWithSecret,
)

/** The schema of a list of endpoints. */
export const webhookEndpointListSchema: z.ZodMiniType<readonly WebhookEndpoint[]> = z.array(webhookEndpointSchema)
