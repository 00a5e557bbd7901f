export { eventSchemas, unknownEventSchema } from './event.ts'
export { readEvent, readEventWithDrift } from './read-event.ts'
export { readShape, readShapeWithDrift, type ShapeReading } from './read-shape.ts'
export {
  apiErrorBodySchema,
  noteIdentitySchema,
  noteSchema,
  type PageEnding,
  pageEndingSchema,
  recordingSessionSchema,
  summarySchema,
  transcriptSchema,
  webhookEndpointSchema,
  webhookEndpointWithSecretSchema,
} from './resources.ts'
export { contractOf } from './tolerated.ts'
export { type UnknownPart, unknownPartsOf } from './unknown-parts.ts'
