import type { WebhookEndpoint } from '@notewire/protocol'
import type { Output } from '../../terminal/output.ts'
import { printable } from '../../terminal/width.ts'

/** An endpoint for a person, one fact a line. */
export function endpointLines({ endpoint_id, url, events, status }: WebhookEndpoint, { paint }: Output): string {
  const facts = [
    ['Endpoint', printable(endpoint_id)],
    ['URL', printable(url ?? 'not told')],
    ['Events', printable(events?.join(', ') ?? 'not told')],
    ['Status', paint(status === 'active' ? 'green' : 'yellow', printable(status ?? 'not told'))],
  ]
  return facts.map(([label = '', value]) => `${paint('dim', label.padEnd(8))}  ${value}`).join('\n')
}
