/** How long a store of a server may take for an operation: the service waits 10 s for the answer to a delivery. */
export const STORE_TIME_LIMIT_MS = 5_000
