import type { CommandGroup } from '../command.ts'

/** `notewire endpoints`. */
export const endpoints: CommandGroup = {
  description:
    'An endpoint is a URL to which the service sends its events. All of these commands need an API key with the scope webhooks:manage.',
  subcommands: [
    {
      name: 'create',
      summary: 'register a URL, and get its signing secret',
      load: async () => (await import('./create.ts')).create,
    },
    { name: 'list', summary: 'show all endpoints', load: async () => (await import('./list.ts')).list },
    {
      name: 'test',
      summary: 'have the service send endpoint.test',
      load: async () => (await import('./test.ts')).test,
    },
    {
      name: 'rotate',
      summary: 'get a new signing secret; the old one stays valid for 24 hours',
      load: async () => (await import('./rotate.ts')).rotate,
    },
    { name: 'delete', summary: 'remove an endpoint', load: async () => (await import('./delete.ts')).remove },
  ],
  examples: [
    ['endpoints create https://example.com/hook --secret-out secret', 'register a receiver'],
    ['endpoints list', 'see which are active'],
  ],
  next: 'Examine a receiver before it is registered: notewire doctor <receiver-url>',
}
