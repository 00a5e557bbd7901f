export { NotewireError } from '@notewire/protocol'
export type { EndpointResource } from './api/endpoint-resource.ts'
export type { KeptAnswer, ReceivedRequest } from './api/request-log.ts'
export type { Duration } from './clock/duration.ts'
export type { ClockMode, ServiceClock } from './clock/service-clock.ts'
export type { Attempt, AttemptOutcome, AttemptResponse } from './delivery/attempt.ts'
export type { Disorder } from './delivery/attempt-faults.ts'
export type { ReceiverFetch } from './delivery/attempt-sender.ts'
export type { Delivery, DeliveryStatus } from './delivery/delivery.ts'
export type { EndpointState } from './delivery/endpoint.ts'
export type { UrlPolicyName } from './delivery/url-policy.ts'
export { MockServerError, type MockServerErrorCode } from './errors/mock-server-error.ts'
export type {
  DeliveryFault,
  DeliveryFaultRule,
  FaultRule,
  RequestFault,
  RequestFaultRule,
} from './faults/fault-rule.ts'
export type { Faults, InjectedFault } from './faults/faults.ts'
export { createNotesService } from './service/create-notes-service.ts'
export type { NotesService } from './service/notes-service.ts'
export type { NotesServiceOptions } from './service/service-options.ts'
export type { ConnectedEndpoint, ConnectOptions } from './transports/connect.ts'
export type { HandlersOptions, MswHttp } from './transports/msw-handlers.ts'
export type { ListenOptions } from './transports/service-port.ts'
export type { ContractVariants } from './variants/contract-variants.ts'
export { aNote } from './world/a-note.ts'
export type {
  Channel,
  IntegrationHandle,
  IssuedKey,
  NewIntegration,
  NewNote,
  NoteHandle,
  Owner,
  RecordingHandle,
  RecordingOutcome,
} from './world/owner.ts'
