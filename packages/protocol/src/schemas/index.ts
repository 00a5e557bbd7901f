export { apiErrorBodySchema } from './api-error.ts'
export { eventSchemas, unknownEventSchema } from './event.ts'
export { noteSchema, recordingSessionSchema } from './note.ts'
export { noteListSchema, type PageEnding, pageEndingSchema } from './note-page.ts'
export { readEvent, readEventWithDrift } from './read-event.ts'
export { readShape } from './read-shape.ts'
export { summarySchema } from './summary.ts'
export { transcriptSchema } from './transcript.ts'
export { type UnknownPart, unknownPartsOf } from './unknown-parts.ts'
export {
  webhookEndpointListSchema,
  webhookEndpointSchema,
  webhookEndpointWithSecretSchema,
} from './webhook-endpoint.ts'
