import { NOTE_EVENT_KINDS, type WebhookEndpoint, type WebhookEndpointWithSecret } from '@notewire/protocol'
import * as z from 'zod/mini'
import { identifiedBy, identifier, openEnum, text } from './fields.ts'
import { type OptionalField, tolerant } from './tolerated.ts'

const fields = (optional: OptionalField) => ({
  endpoint_id: identifier,
  url: optional(text),
  events: optional(z.nullish(z.array(openEnum(NOTE_EVENT_KINDS)))),
  status: optional(z.nullish(openEnum(['pending_verification', 'active', 'disabled']))),
  created_at: optional(text),
})

export const endpointRecord = (optional: OptionalField) => z.looseObject(fields(optional))
export const endpointRecordWithSecret = (optional: OptionalField) =>
  z.looseObject({ ...fields(optional), signing_secret: identifier })

/**
 * The schema of a {@link WebhookEndpoint} (contract §2; open point 13). It accepts `id` in place of `endpoint_id`. An optional field of
 * another type is left out (open point 39).
 */
export const webhookEndpointSchema: z.ZodMiniType<WebhookEndpoint> = /* @__PURE__ */ tolerant((optional) =>
  identifiedBy('endpoint_id', endpointRecord(optional)),
)

/** The schema of a {@link WebhookEndpointWithSecret}: the answer to a creation or a rotation (contract §2). */
export const webhookEndpointWithSecretSchema: z.ZodMiniType<WebhookEndpointWithSecret> = /* @__PURE__ */ tolerant(
  (optional) => identifiedBy('endpoint_id', endpointRecordWithSecret(optional)),
)
