import { EXIT_CODES } from '../../exit-code.ts'
import { CLIENT_SETTINGS, openClient } from '../../notes-client.ts'
import { defineCommand } from '../command.ts'
import { required } from '../declarations.ts'
import { text } from '../value-readers.ts'

/** `notewire endpoints test`. */
export const test = defineCommand({
  description: 'Has the service send the event endpoint.test, signed, as any other.',
  arguments: { endpoint: required('endpoint', 'the id of the endpoint', text) },
  settings: CLIENT_SETTINGS,
  examples: [['endpoints test ep_1', 'send to one endpoint']],
  next: 'Look at the log of the receiver. To see deliveries arrive on this machine: notewire listen',
  async run({ arguments: { endpoint }, signal, output, ...surroundings }) {
    const client = await openClient(surroundings)
    await client.webhookEndpoints.sendTest(endpoint, { signal })
    await output.print({ endpoint_id: endpoint, sent: 'endpoint.test' }, 'endpoint.test is on its way.')
    return EXIT_CODES.done
  },
})
