import { OptionError } from '@notewire/protocol'
import { DEAD_LETTER_SECONDS, DEFAULT_ATTEMPTS, FIRST_RETRY_SECONDS, SLOWEST_RETRY_SECONDS } from '../retries.ts'
import type { Boss } from './boss.ts'

/** The queue: the same in the process that receives and in the workers. */
export interface PgBossPlace {
  /**
   * A started `PgBoss` with a listener for its `error` events. Stop it yourself, after the workers. One of the processes must have
   * `supervise` enabled, which is the default: it finds the jobs of workers that died.
   */
  readonly boss: Boss
  /**
   * The name of the queue. It is created if it is missing, and so is its dead letter queue, `<name>-dead-letters`. One queue serves all
   * integrations of a receiver of many; use a separate queue for each receiver of one.
   *
   * @default 'notewire-events'
   */
  readonly name?: string | undefined
}

/** A worker without a heartbeat for this long is dead. As long as the lease of a claim in the store. */
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

/** A {@link PgBossPlace} with its defaults. */
export type ResolvedPlace = ReturnType<typeof resolvePlace>

/**
 * Creates the two queues unless they exist.
 *
 * @param attempts  the number of attempts of an event; `undefined` does not change it
 * @throws OptionError if a queue of that name was created for another purpose
 */
export async function createQueues({ boss, name, deadLetters }: ResolvedPlace, attempts?: number): Promise<void> {
  await boss.createQueue(deadLetters, { retentionSeconds: DEAD_LETTER_SECONDS })
  await boss.createQueue(name, {
    // At most one job of an event waits or runs. Unlike a job id, the policy allows the event again after its job has ended.
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
