import { PostgresNotMigratedError } from './not-migrated-error.ts'
import { PostgresTimeoutError } from './timeout-error.ts'

/** Drivers and pools may keep an operation waiting for ever. */
const TIME_LIMIT_MS = 30_000

const UNDEFINED_FUNCTION = '42883'
const UNDEFINED_TABLE = '42P01'
const LOCK_NOT_AVAILABLE = '55P03'

/** What to throw for an error of the driver: the error itself, unless there is something to say about it. */
export function explained(operation: string, error: unknown): unknown {
  switch (codeOf(error)) {
    case UNDEFINED_FUNCTION:
    case UNDEFINED_TABLE:
      return new PostgresNotMigratedError(error)
    case LOCK_NOT_AVAILABLE:
      return new PostgresTimeoutError(operation, error)
    default:
      return error
  }
}

/** What an operation answers, unless it takes longer than the limit. */
export function withinTimeLimit<Answer>(operation: string, work: Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new PostgresTimeoutError(operation)), TIME_LIMIT_MS)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}
