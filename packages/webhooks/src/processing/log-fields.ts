import type { WebhookEvent } from '@notewire/protocol'
import type { Logger } from '../interfaces/logger.ts'

/** A logger that adds the same fields to every line. */
export function withFields(logger: Logger, fields: Readonly<Record<string, unknown>>): Logger {
  return {
    info: (message, more) => logger.info(message, { ...fields, ...more }),
    warn: (message, more) => logger.warn(message, { ...fields, ...more }),
    error: (message, more) => logger.error(message, { ...fields, ...more }),
  }
}

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
