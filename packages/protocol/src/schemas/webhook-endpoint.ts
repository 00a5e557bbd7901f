import * as z from 'zod/mini'
import type { WebhookEndpoint, WebhookEndpointWithSecret } from '../webhook-endpoint.ts'
import { adoptId } from './identifier-alias.ts'

const endpointFields = {
  endpoint_id: z.string().check(z.minLength(1)),
  url: z.nullish(z.string()),
  events: z.nullish(z.array(z.string())),
  status: z.nullish(z.string()),
  created_at: z.nullish(z.string()),
}

/** The schema of a {@link WebhookEndpoint} (open point 13). */
export const webhookEndpointSchema: z.ZodMiniType<WebhookEndpoint> = z.pipe(
  z.transform(adoptId('endpoint_id')),
  z.looseObject(endpointFields),
)

/** The schema of a {@link WebhookEndpointWithSecret}: the answer to a creation or a rotation. */
export const webhookEndpointWithSecretSchema: z.ZodMiniType<WebhookEndpointWithSecret> = z.pipe(
  z.transform(adoptId('endpoint_id')),
  z.looseObject({ ...endpointFields, signing_secret: z.string().check(z.minLength(1)) }),
)
