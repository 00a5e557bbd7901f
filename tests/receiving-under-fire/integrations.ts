/** Two integrations whose receivers share all workers and the store. Their events and notes have the same ids. */
export const INTEGRATIONS = ['personal', 'channel'] as const

export type Integration = (typeof INTEGRATIONS)[number]

/** The name of the environment variable with the signing secret. */
export function secretVariable(integration: Integration): string {
  return `SIGNING_SECRET_OF_${integration.toUpperCase()}`
}

/**
 * With transactions, all workers process the events of `personal` in them, so that each takes effect exactly once. Of `channel`, half of the
 * workers have leases, as during a rolling deploy.
 *
 * @param worker  the number of a worker
 */
export function isInTransactions(integration: Integration, worker: number): boolean {
  return integration === 'personal' || worker % 2 === 0
}
