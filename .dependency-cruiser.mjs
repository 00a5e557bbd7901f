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
      // The runtime of Cloudflare provides its own module.
      to: { couldNotResolve: true, pathNot: '^cloudflare:workers$' },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: {
        orphan: true,
        // Browsers load a script, Next a layout, pnpm its hooks, and people start a program.
        pathNot:
          '\\.(test|test-d|d)\\.ts$|tsup\\.config\\.ts$|^scripts/published-manifest\\.cjs$|^examples/(accounts-(express/public|next/app)|queues/src)/',
      },
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
      name: 'wings-do-not-know-each-other',
      comment: 'client, webhooks and mock-server do not import each other; tests may bring them together.',
      severity: 'error',
      from: { path: '^packages/(client|webhooks|mock-server)/(?!fixtures/)', pathNot: '\\.test(-d)?\\.ts$' },
      to: { path: '^packages/(?!protocol/|storage/)', pathNot: '^packages/$1/' },
    },
    {
      name: 'mock-server-is-the-other-side',
      comment: 'Not even its tests may lean on our own client or verifier inside the published source.',
      severity: 'error',
      from: { path: '^packages/mock-server/(src|fixtures)/', pathNot: '\\.test(-d)?\\.ts$' },
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
      from: { path: '^packages/mirror/src/', pathNot: '\\.test(-d)?\\.ts$' },
      to: { path: '^packages/mock-server/' },
    },
    {
      name: 'mirror-rules-are-pure',
      comment:
        'The rules decide without a clock, a store or a service: they import the data of notes and integrations. Of others, they import types alone.',
      severity: 'error',
      from: { path: '^packages/mirror/src/rules/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^packages/',
        pathNot:
          '^packages/mirror/src/(rules/|notes/|consumers/consumer-change\\.ts$|integrations/(integration-store|taking-order)\\.ts$)|^packages/protocol/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'mirror-stores-know-no-rules',
      comment: 'A store reads and writes rows. The rules are in one place, above all stores.',
      severity: 'error',
      from: { path: '^packages/mirror/src/stores/', pathNot: '\\.test(-d)?\\.ts$' },
      to: { path: '^packages/mirror/src/(?!(stores|notes|integrations|consumers)/)' },
    },
    {
      name: 'verify-loads-no-zod',
      comment: 'The verifier alone weighs 2.5 kB: nothing that it loads may load the schemas.',
      severity: 'error',
      from: { path: '^packages/(webhooks/src/verify|protocol/src/index)\\.ts$' },
      to: { path: 'node_modules/zod/|^packages/protocol/src/schemas/', reachable: true },
    },
    {
      name: 'zod-in-the-schemas-alone',
      comment:
        'Published code uses zod through @notewire/protocol/schemas, which contains the part of zod that it needs. The mock server compiles in its own.',
      severity: 'error',
      from: { path: '^packages/(?!protocol/src/schemas/|mock-server/)', pathNot: '\\.test(-d)?\\.ts$' },
      to: { path: 'node_modules/zod/' },
    },
    {
      name: 'opentelemetry-in-its-entries-alone',
      comment: 'OpenTelemetry is an optional peer: programs that do not use it need not install it.',
      severity: 'error',
      from: { path: '^packages/', pathNot: '^packages/[^/]+/src/opentelemetry(\\.test)?\\.ts$' },
      to: { path: 'node_modules/@opentelemetry/|^packages/[^/]+/src/opentelemetry\\.ts$' },
    },
    {
      name: 'core-knows-no-adapter',
      comment: 'Adapters and testing stand on the receiver, never the other way round.',
      severity: 'error',
      from: {
        path: '^packages/webhooks/src/(interfaces|verifier|receiver|stores)/',
        pathNot: '\\.test(-d)?\\.ts$',
      },
      to: { path: '^packages/webhooks/src/(adapters|testing)/' },
    },
    {
      name: 'storage-below-the-stores',
      comment: 'The stores of webhooks and mirror use the drivers. The client and the service need no database.',
      severity: 'error',
      from: { path: '^packages/(client|mock-server|protocol)/' },
      to: { path: '^packages/storage/' },
    },
    {
      name: 'storage-is-the-floor',
      comment: 'What the stores of webhooks and mirror share imports protocol alone: no driver package, no receiver.',
      severity: 'error',
      from: { path: '^packages/storage/src/', pathNot: '\\.test(-d)?\\.ts$' },
      to: { pathNot: '^packages/storage/src/|^packages/protocol/|^(node:)?sqlite$' },
    },
    {
      name: 'no-storage-in-the-main-entries',
      comment: 'Whoever verifies, or receives with the store in memory, loads no code of databases.',
      severity: 'error',
      from: { path: '^packages/webhooks/src/(index|verify)\\.ts$' },
      to: { path: '^packages/storage/', reachable: true },
    },
    {
      name: 'command-line-layers',
      comment: 'Terminal, errors, files, settings and the context of a run know nothing of the work of commands.',
      severity: 'error',
      from: { path: '^packages/notewire/src/(errors|terminal|files|configuration|context)/', pathNot: '\\.test\\.ts$' },
      to: { path: '^packages/notewire/src/(?!(errors|terminal|files|configuration|context)/)' },
    },
    {
      name: 'command-line-work-below-its-commands',
      severity: 'error',
      from: { path: '^packages/notewire/src/(?!commands/)[^/]+/', pathNot: '\\.test\\.ts$' },
      to: { path: '^packages/notewire/src/(commands/|[^/]+$)' },
    },
    {
      name: 'fixtures-for-tests-alone',
      comment: 'The fixtures of a package are not published.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: '\\.(test|test-d)\\.ts$' },
      to: { path: '^packages/[^/]+/fixtures/' },
    },
    {
      name: 'no-dev-dependency-in-published-code',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: '\\.(test|test-d)\\.ts$' },
      to: {
        // The build compiles zod into the mock server. Its declarations contain no zod.
        pathNot: 'node_modules/zod/',
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only', 'npm-peer'],
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: {
      path: '/dist/|^tests/packed-packages/consumer/|^examples/(frameworks|own-transaction)/|^examples/[^/]+/(\\.svelte-kit|build|\\.nitro|\\.output)/',
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
