import { LeaseLostError } from '../errors.ts'
import type { CopyHooks } from '../hooks.ts'
import { codeOf } from '../rules/problem-rule.ts'
import { failsForEveryNote } from '../service/failures.ts'
import type { Occurrence } from './lines.ts'
import type { MirrorLog } from './mirror-log.ts'

/** What happens to a consumer. */
export type ConsumerOccurrence = Extract<Occurrence, `consumer-${string}`>

/** Adds the lines of the log to the hooks of a copy: about single notes, and about removals that are held back. */
export function loggedHooks(hooks: CopyHooks, integration: string, log: MirrorLog): CopyHooks {
  return {
    ...hooks,
    onProblem(problem) {
      const { error, noteId, isRepeated = false } = problem
      // The worker that has the lease now does the work.
      if (error instanceof LeaseLostError) return
      // An error that every other note would meet ends the work, whose caller reports it.
      if (noteId !== undefined && !isRepeated && !failsForEveryNote(error)) {
        log.report({ occurrence: 'note-failed', code: codeOf(error), integration, error, fields: { note: noteId } })
      }
      hooks.onProblem(problem)
    },
    onRemovalsHeld(notice) {
      log.report({ occurrence: 'removals-held', code: 'removals_held', integration, fields: { ...notice } })
      hooks.onRemovalsHeld(notice)
    },
    onContradiction(notice) {
      const { noteId, isRepeated } = notice
      if (!isRepeated) {
        log.report({ occurrence: 'contradiction', code: 'contradiction', integration, fields: { note: noteId } })
      }
      hooks.onContradiction(notice)
    },
  }
}

/** Makes the function with which a consumer logs that it failed, or works again. */
export function consumerReport(consumer: string, integration: string, log: MirrorLog) {
  return (occurrence: ConsumerOccurrence, error?: unknown, note?: string): void => {
    const code = error === undefined ? occurrence : codeOf(error)
    const fields = { consumer, ...(note === undefined ? {} : { note }) }
    log.report({ occurrence, code, integration, error, fields })
  }
}
