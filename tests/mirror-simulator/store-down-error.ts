/** What a store throws that cannot be reached. */
export class StoreDownError extends Error {
  constructor() {
    super('the store does not answer')
  }
}
