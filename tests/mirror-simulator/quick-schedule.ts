import { Schedule } from '../simulation/schedule.ts'

/** A schedule that runs the next step as soon as no microtask is left, without a turn of the event loop. */
export class QuickSchedule extends Schedule {
  override quiet(): Promise<void> {
    // Node.js runs this queue when no microtask is left. Twice, because other code may use the queue, too.
    return new Promise((resolve) => process.nextTick(() => process.nextTick(resolve)))
  }
}
