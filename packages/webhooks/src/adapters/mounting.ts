import { OptionError } from '@notewire/protocol'
import type { RespondingReceivers } from '../receiver/receiver-interface.ts'

/** @throws OptionError if the argument of an adapter is not a receiver, before the first delivery fails */
export function requireReceiver(adapter: string, receiver: RespondingReceivers): void {
  if (typeof receiver?.respond === 'function') return
  throw new OptionError(
    'receiver',
    `${adapter} needs a receiver. Pass the object that createReceiver or createReceivers returned, not a promise.`,
  )
}

/** Returns the id of the integration that a request is for, or `undefined`. */
export type IntegrationOf<Request> = (request: Request) => string | undefined

/** The route parameter `integration`, or `undefined` if it is not a string. */
export function routeParameter(parameters: unknown): string | undefined {
  if (typeof parameters !== 'object' || parameters === null || !('integration' in parameters)) return undefined
  const { integration } = parameters
  return typeof integration === 'string' ? integration : undefined
}

/** Calls `integrationOf`. Returns `undefined` if it throws, for example because the path is malformed. */
export function findIntegration<Request>(integrationOf: IntegrationOf<Request>, request: Request): string | undefined {
  try {
    return integrationOf(request)
  } catch {
    return undefined
  }
}
