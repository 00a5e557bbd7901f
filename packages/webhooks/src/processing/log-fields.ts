import type { WebhookEvent } from '@notewire/protocol'

/** The log field of an integration. Omitted for `default`, because a program with one integration does not need it. */
export function integrationField(integration: string | undefined): { readonly integration?: string } {
  return integration === undefined || integration === 'default' ? {} : { integration }
}

/** The log fields of an event. */
export function fieldsOf(
  { event_id, event_type }: WebhookEvent,
  integration: string,
): Readonly<Record<string, unknown>> {
  return { ...integrationField(integration), event_id, event_type }
}
