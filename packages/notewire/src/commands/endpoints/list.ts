import { EXIT_CODES } from '../../exit-code.ts'
import { CLIENT_SETTINGS, openClient } from '../../notes-client.ts'
import { defineCommand } from '../command.ts'
import { endpointLines } from './endpoint-lines.ts'

/** `notewire endpoints list`. */
export const list = defineCommand({
  description: 'Shows the endpoints of the integration that the API key belongs to. With --json, one object a line.',
  settings: CLIENT_SETTINGS,
  examples: [
    ['endpoints list', 'all of them'],
    ['endpoints list --json | jq -r .endpoint_id', 'their ids alone'],
  ],
  next: 'An endpoint that is not active gets no events: see what its receiver answers with notewire doctor <url>.',
  async run({ signal, output, ...surroundings }) {
    const client = await openClient(surroundings)
    const endpoints = await client.webhookEndpoints.list({ signal })
    for (const [index, endpoint] of endpoints.entries()) {
      await output.print(endpoint, `${index === 0 ? '' : '\n'}${endpointLines(endpoint, output)}`)
    }
    if (endpoints.length === 0) output.tell('There is no endpoint. Register one: notewire endpoints create <url>')
    return EXIT_CODES.done
  },
})
