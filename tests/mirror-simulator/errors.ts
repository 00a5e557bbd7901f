/** The simulator has aborted a job. It is the reason of the job's signal. */
export class Stopped extends Error {}

/** The error of a store that cannot be reached. */
export class StoreDownError extends Error {
  constructor() {
    super('the store does not answer')
  }
}
