import { refuseUnknownOptions, systemClock, type WebhookEndpoint } from '@notewire/protocol'
import { EndpointNotActiveError } from './errors/notes-client-error.ts'
import type { CallOptions } from './options/call-options.ts'
import { requireDuration } from './options/notes-client-options.ts'
import { GET_ENDPOINT, nameOf } from './transport/operation.ts'

/** How long to wait for an endpoint to become active. */
export interface ActivationOptions extends Pick<CallOptions, 'signal'> {
  /**
   * How long to wait, in milliseconds. The default includes the first retry of the verification, after 30 s.
   *
   * @default 120_000
   */
  readonly timeoutMs?: number | undefined
}

const POLL_INTERVAL_MS = 1000

/** Reads an endpoint every second until it is active (contract §3). */
export async function waitForActivation(
  readEndpoint: (options: CallOptions) => Promise<WebhookEndpoint>,
  options: ActivationOptions,
): Promise<WebhookEndpoint> {
  refuseUnknownOptions('webhookEndpoints.waitUntilActive', options, ['timeoutMs', 'signal'])
  const { timeoutMs = 120_000, signal } = options
  requireDuration('timeoutMs', timeoutMs)
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const endpoint = await readEndpoint({ signal })
    if (endpoint.status === 'active') return endpoint
    const remaining = deadline - performance.now()
    if (!(remaining > 0)) throw notActive(endpoint, timeoutMs)
    await systemClock.sleep(Math.min(POLL_INTERVAL_MS, remaining), signal)
  }
}

function notActive({ status }: WebhookEndpoint, timeoutMs: number): EndpointNotActiveError {
  const nextStep =
    status === 'disabled'
      ? 'Enable it with webhookEndpoints.update(id, { status: "active" }) once its receiver answers.'
      : 'Check that the service can reach the receiver, that the receiver answers without a redirect, and that it has the signing secret of this endpoint.'
  return new EndpointNotActiveError(
    nameOf(GET_ENDPOINT),
    `the endpoint did not become active within ${timeoutMs / 1000} s: the last status read was ${status ?? 'absent'}. ${nextStep}`,
    status,
  )
}
