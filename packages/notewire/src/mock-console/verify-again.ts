import type { NotesClient } from '@notewire/client'
import { noEndpoint, type Triggered } from './trigger.ts'

/**
 * Has endpoints verified again. The console does so for inactive ones alone; the API does whenever it is given a URL, even
 * an unchanged one (open point 14).
 *
 * @param endpoint  the one that is meant; all that the key can see otherwise
 */
export async function verifyAgain(
  client: NotesClient,
  endpoint: string | undefined,
  signal: AbortSignal,
): Promise<Triggered> {
  const { webhookEndpoints } = client
  const meant =
    endpoint === undefined
      ? await webhookEndpoints.list({ signal })
      : [await webhookEndpoints.get(endpoint, { signal })]
  if (meant.length === 0) throw noEndpoint()
  for (const { endpoint_id, url } of meant) {
    if (typeof url === 'string') await webhookEndpoints.update(endpoint_id, { url }, { signal })
  }
  return {
    event_type: 'endpoint.verification',
    endpoint_ids: meant.map(({ endpoint_id }) => endpoint_id),
    timing: 'It leaves at once.',
  }
}
