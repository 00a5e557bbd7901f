import type { OpenEnum, Scope } from '@notewire/protocol'
import { ApiError, type ApiErrorFacts } from './api-error.ts'

/** The API key may not do this: code `forbidden` (contract §5; open point 22). */
export class ForbiddenError extends ApiError {
  /** The scope that the service says is missing, when it says so. */
  readonly scope: OpenEnum<Scope> | undefined

  constructor(message: string, facts: ApiErrorFacts, scope: OpenEnum<Scope> | undefined) {
    super('forbidden', message, facts)
    this.scope = scope
  }
}
