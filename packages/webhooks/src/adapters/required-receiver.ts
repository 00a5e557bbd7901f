import { OptionError } from '@notewire/protocol'
import type { Receiver } from '../receiver/receiver.ts'

/** @throws OptionError when an adapter is given anything but a receiver, before the first delivery fails on it */
export function requireReceiver(adapter: string, receiver: Receiver): void {
  if (typeof receiver?.respond === 'function') return
  throw new OptionError(
    'receiver',
    `${adapter} needs a receiver. Pass the object that createReceiver returned, not a promise.`,
  )
}
