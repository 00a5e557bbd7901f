import { OptionError } from '@notewire/protocol'
import type { ReceiverOfMany, RespondingReceiver } from '../receiver/receiver-interface.ts'

/** @throws OptionError if the argument of an adapter is not a receiver, before the first delivery fails */
export function requireReceiver(adapter: string, receiver: RespondingReceiver): void {
  if (typeof receiver?.respond === 'function') return
  throw new OptionError(
    'receiver',
    `${adapter} needs a receiver. Pass the object that createReceiver returned, not a promise.`,
  )
}

/** Whether a receiver is of many integrations, so that each request must contain the id of one. */
export function isOfMany(receiver: RespondingReceiver): receiver is ReceiverOfMany {
  return 'forgetSecret' in receiver
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

/** @throws OptionError if a receiver of many would answer 404 to all requests, or `integrationOf` would never be called */
export function refuseIntegrationOf(adapter: string, receiver: RespondingReceiver, integrationOf: unknown): void {
  if (isOfMany(receiver) ? typeof integrationOf === 'function' : integrationOf === undefined) return
  throw new OptionError(
    'integrationOf',
    isOfMany(receiver)
      ? `${adapter} needs the option integrationOf, because the secret function of the receiver takes an integration. Pass a function that finds the id in a request.`
      : `integrationOf has no effect in ${adapter}, because the secret of the receiver takes no integration. Remove it, or give the secret function a parameter.`,
  )
}
