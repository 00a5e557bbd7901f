import { Schedule } from '../simulation/schedule.ts'

/** A schedule that goes on as soon as nothing is left that is ready to go on, without a turn of the event loop. */
export class QuickSchedule extends Schedule {
  override quiet(): Promise<void> {
    // Node.js looks at this queue when that of the microtasks is empty: twice, for code that used it itself.
    return new Promise((resolve) => process.nextTick(() => process.nextTick(resolve)))
  }
}
