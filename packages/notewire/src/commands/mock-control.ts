import { isBlockedPort, NotewireError } from '@notewire/protocol'
import { CommandError } from '../errors/failure.ts'
import { describeProxyFailure } from '../errors/system-error.ts'

/** The URL at which `notewire mock` listens by default. */
export const MOCK_URL = 'http://127.0.0.1:4010'

/** The codes that have their own exit code. All other codes become `console_refused`. */
const KNOWN_CODES = ['note_unknown', 'endpoint_unknown', 'endpoint_missing'] as const

/** The body of a refusal (docs/mock-server/console.md#control-api). */
interface Refusal {
  readonly error: { readonly code: string; readonly problem: string; readonly remedy: string }
}

/**
 * Sends a request to the control API of a running mock server.
 *
 * @throws CommandError when the server refuses the request, or is no mock server
 */
export async function control<Answer>(
  baseUrl: string,
  path: `/control/${string}`,
  body: object,
  signal: AbortSignal,
): Promise<Answer> {
  const { origin, port } = new URL(baseUrl)
  if (isBlockedPort(port)) {
    const message = `fetch sends no request to port ${port}, which other protocols use. Start the mock server at another port: notewire mock --port 4010.`
    throw new NotewireError('network_error', message)
  }
  const answer = await fetch(origin + path, {
    method: 'POST',
    // The server accepts changes only from its own origin, so that no page in a browser can send them.
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'manual',
    signal,
  }).catch((error: unknown) => {
    signal.throwIfAborted()
    const ofProxy = describeProxyFailure(error, new URL(origin))
    const message = ofProxy === undefined ? noMockServer(origin) : `no request reached ${origin}: ${ofProxy}`
    throw new NotewireError('network_error', message)
  })
  const json: unknown = await answer.json().catch(() => undefined)
  if (answer.ok && json !== undefined) return json as Answer
  if (!isRefusal(json)) throw new CommandError('console_refused', noMockServer(origin))
  const { code, problem, remedy } = json.error
  throw new CommandError(KNOWN_CODES.find((known) => known === code) ?? 'console_refused', `${problem}. ${remedy}`)
}

function noMockServer(origin: string): string {
  return `there is no mock server at ${origin}. Start one with notewire mock; only a mock server can trigger events.`
}

function isRefusal(json: unknown): json is Refusal {
  const { error } = (json ?? {}) as Partial<Refusal>
  return typeof error?.problem === 'string'
}
