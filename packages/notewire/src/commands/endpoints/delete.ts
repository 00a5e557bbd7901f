import { EXIT_CODES } from '../../exit-code.ts'
import { CLIENT_SETTINGS, openClient } from '../../notes-client.ts'
import { UsageError } from '../../usage-error.ts'
import { defineCommand } from '../command.ts'
import { flag, required } from '../declarations.ts'
import { text } from '../value-readers.ts'

/** `notewire endpoints delete`. */
export const remove = defineCommand({
  description: 'Removes an endpoint: nothing is sent there any more, and its secret is worth nothing.',
  arguments: { endpoint: required('endpoint', 'the id of the endpoint', text) },
  options: { yes: flag('-y, --yes', 'do not ask') },
  settings: CLIENT_SETTINGS,
  examples: [
    ['endpoints delete ep_1', 'asks first'],
    ['endpoints delete ep_1 --yes', 'for scripts'],
  ],
  next: 'Events that happen from now on can be caught up with by polling.',
  async run({ arguments: { endpoint }, options, signal, output, prompts, ...surroundings }) {
    if (!options.yes && !prompts.available) {
      throw new UsageError('nobody can be asked whether to delete the endpoint. Pass --yes to delete it unasked.')
    }
    const client = await openClient(surroundings)
    if (!options.yes && !(await prompts.confirm(`Delete ${endpoint}?`))) {
      output.tell('Nothing was deleted.')
      return EXIT_CODES.failed
    }
    await client.webhookEndpoints.delete(endpoint, { signal })
    await output.print({ endpoint_id: endpoint, deleted: true }, 'The endpoint is deleted.')
    return EXIT_CODES.done
  },
})
