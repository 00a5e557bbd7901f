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
