import { callHook, type NotesClientHooks, type ResponseNotice } from './hooks.ts'

/**
 * Adds a line for each request, if the environment variable `NOTES_LOG` is `debug`. The lines contain no key, no id of a note and no content.
 *
 * @param logger  `console.error` writes to the standard error, so that the output of a program stays usable
 */
export function withDebugLog(
  hooks: NotesClientHooks,
  level: string | undefined,
  logger: Pick<Console, 'error'> = console,
): NotesClientHooks {
  if (level !== 'debug') return hooks
  return {
    ...hooks,
    onResponse(response) {
      callHook(hooks.onResponse, response)
      logger.error(lineOf(response))
    },
    onRetry(retry) {
      callHook(hooks.onRetry, retry)
      logger.error(`notewire: call ${retry.callId}: tries again in ${Math.round(retry.delayMs)} ms`)
    },
  }
}

function lineOf({ callId, operation, attempt, status, failure, networkCode, requestId, durationMs }: ResponseNotice) {
  const which = attempt === 1 ? '' : `, attempt ${attempt}`
  const end = status ?? [failure, networkCode].filter((word) => word !== undefined).join(' ')
  const request = requestId === undefined ? '' : `, request ${requestId}`
  return `notewire: call ${callId}: ${operation}${which}: ${end} in ${Math.round(durationMs)} ms${request}`
}
