/** Two integrations whose receivers share every worker and the store; they use the same ids. */
export const INTEGRATIONS = ['personal', 'channel'] as const

export type Integration = (typeof INTEGRATIONS)[number]

/** The variable of a worker's environment that holds the signing secret. */
export function secretVariable(integration: Integration): string {
  return `SIGNING_SECRET_OF_${integration.toUpperCase()}`
}

/**
 * Handlers of `personal` mark the event in the transaction of their effect, where the store has transactions. Those of
 * `channel` leave the mark to the receiver, after the effect.
 */
export function marksItself(integration: Integration, hasTransactions: boolean): boolean {
  return hasTransactions && integration === 'personal'
}
