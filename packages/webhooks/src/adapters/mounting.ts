import { OptionError } from '@notewire/protocol'
import type { ReceiverOfMany, RespondingReceiver } from '../receiver/receiver-interface.ts'

/** @throws OptionError when an adapter is given anything but a receiver, before the first delivery fails on it */
export function requireReceiver(adapter: string, receiver: RespondingReceiver): void {
  if (typeof receiver?.respond === 'function') return
  throw new OptionError(
    'receiver',
    `${adapter} needs a receiver. Pass the object that createReceiver returned, not a promise.`,
  )
}

/** Whether a receiver is of many integrations, so that each request has to name one. */
export function isOfMany(receiver: RespondingReceiver): receiver is ReceiverOfMany {
  return 'forgetSecret' in receiver
}

/** Says which integration a request is for: its id, as the request names it, or `undefined`. */
export type IntegrationOf<Request> = (request: Request) => string | undefined

/** The parameter `integration` of a route, as routers keep it. Any other value than text names none. */
export function routeParameter(parameters: unknown): string | undefined {
  if (typeof parameters !== 'object' || parameters === null || !('integration' in parameters)) return undefined
  const { integration } = parameters
  return typeof integration === 'string' ? integration : undefined
}

/** What `integrationOf` says. If it throws, as at a malformed path, the request names no integration. */
export function namedBy<Request>(integrationOf: IntegrationOf<Request>, request: Request): string | undefined {
  try {
    return integrationOf(request)
  } catch {
    return undefined
  }
}

/** @throws OptionError when a receiver of many would answer 404 to everything, or `integrationOf` would never be called */
export function refuseIntegrationOf(adapter: string, receiver: RespondingReceiver, integrationOf: unknown): void {
  if (isOfMany(receiver) ? typeof integrationOf === 'function' : integrationOf === undefined) return
  throw new OptionError(
    'integrationOf',
    isOfMany(receiver)
      ? `${adapter} needs the option integrationOf, because the secret function of the receiver takes an integration. Pass a function that finds the id in a request.`
      : `integrationOf has no effect in ${adapter}, because the secret of the receiver takes no integration. Remove it, or give the secret function a parameter.`,
  )
}
