export { apiErrorBodySchema } from './api-error.ts'
export { summarySchema, transcriptSchema } from './content.ts'
export { eventSchemas, unknownEventSchema } from './event.ts'
export {
  noteIdentitySchema,
  noteSchema,
  type PageEnding,
  pageEndingSchema,
  recordingSessionSchema,
} from './note.ts'
export { readEvent, readEventWithDrift } from './read-event.ts'
export { readShape, readShapeWithDrift, type ShapeReading } from './read-shape.ts'
export { contractOf } from './tolerated.ts'
export { type UnknownPart, unknownPartsOf } from './unknown-parts.ts'
export { webhookEndpointSchema, webhookEndpointWithSecretSchema } from './webhook-endpoint.ts'
