import { CommandError, UsageError } from '../errors/failure.ts'

/** The body of a refusal (docs/mock-server/control-api.md). */
interface Refusal {
  readonly error: { readonly code: string; readonly problem: string; readonly remedy: string }
}

/**
 * Sends a request to the control API of a running mock server.
 *
 * @returns the JSON body of the answer
 * @throws {@link UsageError} when the server has no such note or endpoint
 * @throws {@link CommandError} `endpoint_missing` or `console_refused` when it refuses the request
 */
export async function control<Answer>(
  baseUrl: string,
  path: `/control/${string}`,
  body: object,
  signal: AbortSignal,
): Promise<Answer> {
  const { origin } = new URL(baseUrl)
  const answer = await fetch(origin + path, {
    method: 'POST',
    // The server accepts changes only from its own origin, so that no page in a browser can send them.
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'manual',
    signal,
  })
  const json: unknown = await answer.json().catch(() => undefined)
  if (answer.ok && json !== undefined) return json as Answer
  throw refusalOf(json, origin)
}

function refusalOf(json: unknown, origin: string): CommandError {
  if (!isRefusal(json)) {
    return new CommandError(
      'console_refused',
      `there is no mock server at ${origin}. Start one with notewire mock; only a mock server can trigger events.`,
    )
  }
  const { code, problem, remedy } = json.error
  switch (code) {
    case 'note_unknown':
    case 'endpoint_unknown':
      return new UsageError(`${problem}. Look into its console for its notes and endpoints.`)
    case 'endpoint_missing':
      return new CommandError('endpoint_missing', `${problem}. Register one first: notewire listen --register`)
    default:
      return new CommandError('console_refused', `${problem}. ${remedy}`)
  }
}

function isRefusal(json: unknown): json is Refusal {
  return (
    typeof json === 'object' && json !== null && 'error' in json && typeof (json as Refusal).error?.problem === 'string'
  )
}
