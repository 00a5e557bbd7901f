/** Two integrations whose receivers share every worker and the store; they use the same ids. */
export const SCOPES = ['personal', 'channel'] as const

export type Scope = (typeof SCOPES)[number]

/** The variable of a worker's environment that holds the signing secret. */
export function secretVariable(scope: Scope): string {
  return `SIGNING_SECRET_OF_${scope.toUpperCase()}`
}

/**
 * Handlers of `personal` mark the event in the transaction of their effect, where the store has transactions. Those of
 * `channel` leave the mark to the receiver, after the effect.
 */
export function marksItself(scope: Scope, hasTransactions: boolean): boolean {
  return hasTransactions && scope === 'personal'
}
