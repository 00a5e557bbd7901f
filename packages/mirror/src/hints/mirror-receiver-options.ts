import type { ReceiverOptions } from '@notewire/webhooks'

/** What `mirror.receiver` takes: what a receiver takes, but for what the mirror does itself. */
export type MirrorReceiverOptions = Pick<
  ReceiverOptions,
  'secret' | 'path' | 'toleranceSeconds' | 'maxBodyBytes' | 'hooks' | 'logger' | 'clock'
>
