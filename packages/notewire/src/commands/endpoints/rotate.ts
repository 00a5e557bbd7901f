import { CLIENT_SETTINGS, openClient } from '../../notes-client.ts'
import { defineCommand } from '../command.ts'
import { required } from '../declarations.ts'
import { text } from '../value-readers.ts'
import { keepSecret, secretOut } from './secret-keeping.ts'

/** `notewire endpoints rotate`. */
export const rotate = defineCommand({
  description:
    'Gives an endpoint a new signing secret, shown this once. For 24 hours the service signs with both, so that a receiver which knows either misses nothing.',
  arguments: { endpoint: required('endpoint', 'the id of the endpoint', text) },
  options: { secretOut },
  settings: CLIENT_SETTINGS,
  examples: [
    ['endpoints rotate ep_1 --secret-out secret', 'replace the secret in a file'],
    ['endpoints rotate ep_1 --json', 'for a program that keeps secrets'],
  ],
  next: 'Give the new secret to the receiver within 24 hours; until it has both, keep the old one, too.',
  async run({ arguments: { endpoint }, options, signal, ...surroundings }) {
    const client = await openClient(surroundings)
    const rotated = () => client.webhookEndpoints.rotateSecret(endpoint, { signal })
    return (await keepSecret(rotated, options.secretOut, { replace: true }, surroundings)).exitCode
  },
})
