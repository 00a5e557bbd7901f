/**
 * The arrows of the house (docs/architecture.md): imports only go up.
 * @type {import('dependency-cruiser').IConfiguration}
 */
export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'everything-resolves',
      comment: 'An import that leads nowhere is an arrow that no rule below can see.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: '\\.(test|test-d|d)\\.ts$|tsup\\.config\\.ts$' },
      to: {},
    },
    {
      name: 'protocol-stands-alone',
      comment: 'protocol is what is said on the wire: everybody may import it, it imports no package of ours.',
      severity: 'error',
      from: { path: '^packages/protocol/' },
      to: { path: '^packages/(?!protocol/)' },
    },
    {
      name: 'wings-import-protocol-alone',
      comment: 'client, webhooks and mock-server do not know each other; tests may bring them together.',
      severity: 'error',
      from: { path: '^packages/(client|webhooks|mock-server)/', pathNot: '\\.test(-d)?\\.ts$|/fixtures/' },
      to: { path: '^packages/(?!protocol/)', pathNot: '^packages/$1/' },
    },
    {
      name: 'mock-server-is-the-other-side',
      comment: 'Not even its tests may lean on our own client or verifier inside the published source.',
      severity: 'error',
      from: { path: '^packages/mock-server/src/', pathNot: '\\.test(-d)?\\.ts$' },
      to: { path: '^packages/(client|webhooks|mirror|notewire)/' },
    },
    {
      name: 'mirror-below-the-command-line',
      severity: 'error',
      from: { path: '^packages/mirror/' },
      to: { path: '^packages/notewire/' },
    },
    {
      name: 'mirror-knows-no-service',
      comment:
        'The mirror reads through the client and hears through webhooks. The reference service is for its tests.',
      severity: 'error',
      from: { path: '^packages/mirror/', pathNot: '\\.test(-d)?\\.ts$|/fixtures/' },
      to: { path: '^packages/mock-server/' },
    },
    {
      name: 'mirror-rules-are-pure',
      comment:
        'What becomes of a note is decided without a clock, a store or a service at hand: types alone come from there.',
      severity: 'error',
      from: { path: '^packages/mirror/src/rules/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^packages/',
        pathNot: '^packages/mirror/src/rules/|^packages/protocol/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'protocol-schemas-only-at-its-own-entry',
      comment: 'Everything but the schemas must load without zod, so that the verifier alone does.',
      severity: 'error',
      from: { path: '^packages/protocol/src/', pathNot: '^packages/protocol/src/schemas/|\\.test' },
      to: { path: '^packages/protocol/src/schemas/|node_modules/zod/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'published-code-without-zod',
      comment:
        'Reading by hand (packages/protocol/src/reading) costs a fifth of the time and none of the size of zod; users may bring zod.',
      severity: 'error',
      from: { path: '^packages/(?!protocol/src/schemas/|mock-server/contract/)', pathNot: '\\.test(-d)?\\.ts$' },
      to: { path: 'node_modules/zod/|^packages/protocol/src/schemas/' },
    },
    {
      name: 'core-knows-no-adapter',
      comment: 'Adapters and testing stand on the receiver, never the other way round.',
      severity: 'error',
      from: { path: '^packages/webhooks/src/(verifier|receiver|stores)/', pathNot: '\\.test(-d)?\\.ts$' },
      to: { path: '^packages/webhooks/src/(adapters|testing)/' },
    },
    {
      name: 'no-dev-dependency-in-published-code',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: '\\.(test|test-d)\\.ts$|/fixtures/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only', 'npm-peer'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: {
      path: '/dist/|^tests/packed-packages/consumer/|^examples/[^/]+/(\\.svelte-kit|build|\\.nitro|\\.output)/',
    },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@notewire/source', 'import', 'types', 'node', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.json'],
    },
  },
}
