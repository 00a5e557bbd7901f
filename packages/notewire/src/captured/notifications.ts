import { CaptureError } from './capture-error.ts'
import type { CapturedRequest } from './captured-request.ts'

/**
 * The requests of a capture that are to be verified: the one that was chosen, or every POST with headers of a notification.
 * A capture of one request is taken as it is.
 *
 * @param entry  the number of a request in an archive, from 1
 * @throws {@link CaptureError} when there is none
 */
export function notificationsIn(
  requests: readonly CapturedRequest[],
  entry: number | undefined,
): readonly CapturedRequest[] {
  if (entry !== undefined) {
    const chosen = requests[entry - 1]
    if (chosen !== undefined) return [chosen]
    throw new CaptureError(`holds ${requests.length} requests, and none of the number ${entry}. Count from 1.`)
  }
  if (requests.length === 1) return requests
  const notifications = requests.filter(looksLikeNotification)
  if (notifications.length > 0) return notifications
  throw new CaptureError(
    `holds ${requests.length} requests, and no POST among them with headers of a notification. Choose one with --entry.`,
  )
}

function looksLikeNotification({ method, headers }: CapturedRequest): boolean {
  const isPost = method === undefined || method.toUpperCase() === 'POST'
  return isPost && headers.some(({ name }) => /^(?:webhook|svix)-(?:id|timestamp|signature)$/i.test(name))
}
