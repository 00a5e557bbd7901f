export { apiErrorBodySchema } from './api-error.ts'
export { summarySchema, transcriptSchema } from './content.ts'
export { eventSchemas, unknownEventSchema } from './event.ts'
export {
  noteListSchema,
  noteSchema,
  type PageEnding,
  pageEndingSchema,
  recordingSessionSchema,
} from './note.ts'
export { readEvent, readEventWithDrift } from './read-event.ts'
export { readShape } from './read-shape.ts'
export { type UnknownPart, unknownPartsOf } from './unknown-parts.ts'
export {
  webhookEndpointListSchema,
  webhookEndpointSchema,
  webhookEndpointWithSecretSchema,
} from './webhook-endpoint.ts'
