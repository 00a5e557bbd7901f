import { OptionError, refuseNoSignal, refuseUnknownOptions } from '@notewire/protocol'
import type { ResponseNotice } from './hooks.ts'
import { type ClientSettings, requireDuration, requireFunction, requireMaxRetries } from './notes-client-options.ts'

/** The options of one call. A listing makes a call for each page. */
export interface CallOptions {
  /** Ends the call, its delays and its retries: it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /**
   * How long the call may take in all, in milliseconds.
   *
   * @default the client's `totalTimeoutMs`
   */
  readonly totalTimeoutMs?: number | undefined
  /**
   * The maximum number of retries of a request.
   *
   * @default the client's `maxRetries`
   */
  readonly maxRetries?: number | undefined
  /** Headers to add to each request, such as `traceparent`. `Authorization` and `Accept` cannot be replaced. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * Called when a request of this call has ended, also successfully, after the client's hook of this name. The notice contains the
   * service's id for the request.
   *
   * @example
   * ```ts
   * import { NotesClient } from '@notewire/client'
   *
   * const client = new NotesClient()
   * await client.notes.get('note_1', { onResponse: ({ status, requestId }) => console.log(status, requestId) })
   * ```
   */
  readonly onResponse?: ((response: ResponseNotice) => void) | undefined
}

/** The options of one call, completed by those of the client. */
export interface CallSettings extends Pick<ClientSettings, 'totalTimeoutMs' | 'maxRetries'> {
  readonly signal: AbortSignal | undefined
  readonly headers: Headers
  readonly onResponse: CallOptions['onResponse']
}

const CHECKS: Readonly<Record<keyof CallOptions, (value: unknown) => unknown>> = {
  signal: (signal) => refuseNoSignal(signal as CallOptions['signal']),
  totalTimeoutMs: (ms) => requireDuration('totalTimeoutMs', ms),
  maxRetries: requireMaxRetries,
  headers: (headers) => headersOf(headers as CallOptions['headers']),
  onResponse: (hook) => requireFunction('onResponse', hook),
}

/** The names of the options of a call. */
export const CALL_OPTIONS: readonly string[] = Object.keys(CHECKS)

/**
 * Checks the options of a call before it begins.
 *
 * @param call  the name of the method
 * @param others  the options that only this method has
 * @throws `OptionError` for an unknown option or a wrong value
 */
export function refuseWrongCallOptions(call: string, options: CallOptions, others: readonly string[] = []): void {
  refuseUnknownOptions(call, options, [...others, ...CALL_OPTIONS])
  for (const [option, check] of Object.entries(CHECKS)) {
    const value = options[option as keyof CallOptions]
    if (value !== undefined) check(value)
  }
}

/** @throws `OptionError` for an unknown option or a wrong value */
export function callSettings(options: CallOptions, client: ClientSettings): CallSettings {
  refuseWrongCallOptions('the call', options)
  const { signal, totalTimeoutMs = client.totalTimeoutMs, maxRetries = client.maxRetries, onResponse } = options
  return { signal, totalTimeoutMs, maxRetries, headers: headersOf(options.headers), onResponse }
}

function headersOf(given: CallOptions['headers']): Headers {
  try {
    const headers = new Headers(given)
    headers.set('accept', 'application/json')
    return headers
  } catch {
    // The error of the runtime quotes the value, which may be secret.
    throw new OptionError(
      'headers',
      'headers contains a name or a value that is not valid in HTTP. Pass an object of texts, such as { traceparent: "00-…" }.',
    )
  }
}
