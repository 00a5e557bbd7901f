/** Two integrations whose receivers share all workers and the store. Their events and notes have the same ids. */
export const INTEGRATIONS = ['personal', 'channel'] as const

export type Integration = (typeof INTEGRATIONS)[number]

/** The name of the environment variable with the signing secret. */
export function secretVariable(integration: Integration): string {
  return `SIGNING_SECRET_OF_${integration.toUpperCase()}`
}

/**
 * Handlers of `personal` call `context.commit` in the transaction of their effect if the store has transactions. For
 * `channel` the receiver commits the event after the effect.
 */
export function commitsItself(integration: Integration, hasTransactions: boolean): boolean {
  return hasTransactions && integration === 'personal'
}
