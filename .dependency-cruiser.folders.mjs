import base from './.dependency-cruiser.mjs'

/**
 * Arrows between folders, in the code that is published: tests and fixtures may lean on any folder.
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
      comment: 'The files beside the folders put them together: no folder imports them.',
      severity: 'error',
      from: { path: '^packages/(webhooks|mirror)/src/[^/]+/' },
      to: { path: '^packages/$1/src/[^/]+\\.ts$' },
    },
  ],
  options: {
    ...base.options,
    exclude: { path: `${base.options.exclude.path}|\\.test(-d)?\\.ts$|/fixtures/` },
  },
}
