import { OptionError } from '@notewire/protocol'
import { DEAD_LETTER_SECONDS, DEFAULT_ATTEMPTS, FIRST_RETRY_SECONDS, SLOWEST_RETRY_SECONDS } from '../retries.ts'
import type { Boss } from './boss.ts'

/** Where the queue is: the same in the process that receives and in the workers. */
export interface PgBossPlace {
  /**
   * A `PgBoss` that was started, with a listener for its `error` events. It stays yours to stop, after the workers. One of the
   * processes must have `supervise` on, as it is by default: it finds the jobs of workers that died.
   */
  readonly boss: Boss
  /**
   * The name of the queue, which is created when it is missing, as is its dead letter queue, `<name>-dead-letters`. One queue serves all
   * integrations of a receiver of many; give each receiver of one a queue of its own.
   *
   * @default 'notewire-events'
   */
  readonly name?: string | undefined
}

/** A worker that shows no sign of life for this long is dead: as long as a claim in the store. */
const HEARTBEAT_SECONDS = 20
const LONGEST_RUN_SECONDS = 24 * 3_600
const KEEP_COMPLETED_SECONDS = 3_600

/** @throws OptionError without a `PgBoss` */
export function resolvePlace({ boss, name = 'notewire-events' }: PgBossPlace) {
  if (typeof boss?.createQueue !== 'function') {
    throw new OptionError('boss', 'boss must be a started PgBoss: await new PgBoss(connectionString).start().')
  }
  return { boss, name, deadLetters: `${name}-dead-letters` }
}

/** Where a queue is, in full. */
export type ResolvedPlace = ReturnType<typeof resolvePlace>

/**
 * Creates the two queues unless they are there.
 *
 * @param attempts  sets how often an event is tried; `undefined` leaves it as it is
 * @throws OptionError for a queue of that name that was created for something else
 */
export async function createQueues({ boss, name, deadLetters }: ResolvedPlace, attempts?: number): Promise<void> {
  await boss.createQueue(deadLetters, { retentionSeconds: DEAD_LETTER_SECONDS })
  await boss.createQueue(name, {
    // One job of an event waits or runs. Those that ended do not stand in the way of its return, as their ids would.
    policy: 'exclusive',
    deadLetter: deadLetters,
    retryLimit: DEFAULT_ATTEMPTS - 1,
    retryBackoff: true,
    retryDelay: FIRST_RETRY_SECONDS,
    retryDelayMax: SLOWEST_RETRY_SECONDS,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    expireInSeconds: LONGEST_RUN_SECONDS,
    retentionSeconds: DEAD_LETTER_SECONDS,
    deleteAfterSeconds: KEEP_COMPLETED_SECONDS,
  })
  if (attempts !== undefined) await boss.updateQueue(name, { retryLimit: attempts - 1 })
  if ((await boss.getQueue(name))?.policy !== 'exclusive') {
    throw new OptionError(
      'name',
      `the queue "${name}" exists with a policy other than "exclusive", so it was not created for this receiver. Pass the name of a new queue.`,
    )
  }
}
