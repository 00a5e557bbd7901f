import { NotewireError } from '@notewire/protocol'

/** The service cannot be reached the way that was asked for. */
export class TransportError extends NotewireError<'listen_failed' | 'already_listening' | 'endpoint_refused'> {}
