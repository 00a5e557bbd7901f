import base from './.dependency-cruiser.mjs'

/**
 * Arrows between folders, in the code that is published: tests may lean on any folder.
 * @type {import('dependency-cruiser').IConfiguration}
 */
export default {
  forbidden: [
    {
      name: 'no-two-way-folders',
      comment: 'An interface lies in a folder below those that use it and those that implement it.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^packages/(protocol|client|webhooks|mock-server|mirror)/src' },
      to: { circular: true },
    },
    {
      name: 'entries-on-top',
      comment: 'The files of src use the folders. No folder imports them, except what every room of the mirror uses.',
      severity: 'error',
      from: { path: '^packages/(client|webhooks|mock-server|mirror)/src/[^/]+/' },
      to: {
        path: '^packages/$1/src/[^/]+\\.ts$',
        pathNot: '^packages/mirror/src/(errors|hooks|options)\\.ts$',
      },
    },
    {
      name: 'rooms-of-a-receiver',
      comment:
        'A delivery passes from delivering to processing. No room imports one that it has left (docs/architecture.md).',
      severity: 'error',
      from: { path: '^packages/webhooks/src/(observing|secrets|processing)/' },
      to: { path: '^packages/webhooks/src/(receiver|delivering|diagnosis|options)/' },
    },
    {
      name: 'processing-below-secrets-and-observing',
      severity: 'error',
      from: { path: '^packages/webhooks/src/processing/' },
      to: { path: '^packages/webhooks/src/(secrets|observing)/' },
    },
    {
      name: 'timing-below-the-receiver',
      severity: 'error',
      from: { path: '^packages/webhooks/src/timing/' },
      to: { path: '^packages/webhooks/src/', pathNot: '^packages/webhooks/src/timing/' },
    },
    {
      name: 'mock-server-layers',
      comment: 'What a service contains knows no way to reach it (docs/architecture.md).',
      severity: 'error',
      from: { path: '^packages/mock-server/src/(addresses|clock|delivery|errors|faults|seed|variants|world)/' },
      to: { path: '^packages/mock-server/src/(api|console|control|program|service|transports)/' },
    },
    {
      name: 'mock-server-put-together-on-top',
      severity: 'error',
      from: { path: '^packages/mock-server/src/(api|console|control|transports)/' },
      to: { path: '^packages/mock-server/src/(program|service)/' },
    },
  ],
  options: {
    ...base.options,
    exclude: { path: `${base.options.exclude.path}|\\.test(-d)?\\.ts$` },
  },
}
