import { defineConfig } from 'vitest/config'
import { isInstalled } from './test-servers/is-installed.ts'

// Our own packages are tested from their sources; `tests/packed-packages.test.ts` tests what is published.
const resolve = { conditions: ['@notewire/source'] }
const fromSource = <Test>(test: Test) => ({ resolve, ssr: { resolve }, test })

const replayable = [`${import.meta.dirname}/tests/replayable-properties.ts`]

const inBrowsers = ['src/**/*.browser.test.ts']
const onRealServers = ['src/stores/*/**/*.test.ts', 'src/queues/**/*.test.ts']

// In CI nothing is left out: what is missing there fails.
const withoutServers = isInstalled('redis-server') ? [] : ['src/stores/redis/**', 'src/queues/bullmq/**']
for (const program of ['redis-server', 'pgbouncer', 'chromium'] as const) {
  if (!isInstalled(program)) console.warn(`${program} is not installed: tests that need it are left out.`)
}

// With one worker Vitest puts group 0, the default, behind all others: hence 1 and 2 below.
const unit = (name: string) =>
  fromSource({
    name,
    root: `packages/${name}`,
    include: ['src/**/*.test.ts'],
    exclude: [...onRealServers, ...inBrowsers],
    setupFiles: replayable,
    sequence: { groupOrder: 1 },
  })

// Stores and queues of a package on the servers that `notewire-test-servers` starts.
const stores = (name: string, root: string) =>
  fromSource({
    name,
    root,
    include: onRealServers,
    exclude: withoutServers,
    setupFiles: replayable,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    sequence: { groupOrder: 1 },
  })

// The console of @notewire/mock-server in a real Chromium.
const inChromium = fromSource({
  name: 'console',
  root: 'packages/mock-server',
  include: inBrowsers,
  testTimeout: 30_000,
  hookTimeout: 30_000,
  sequence: { groupOrder: 1 },
})

// The command line, as a person would drive it: in processes of its own.
const programs = {
  ...unit('notewire'),
  test: { ...unit('notewire').test, testTimeout: 30_000, hookTimeout: 30_000 },
}

// All type tests in one TypeScript program.
const types = {
  test: {
    name: 'types',
    include: [],
    typecheck: {
      enabled: true,
      only: true,
      include: ['packages/*/src/**/*.test-d.ts'],
      tsconfig: 'tsconfig.json',
      ignoreSourceErrors: true, // `npm run types` reports those.
    },
  },
}

// What only the whole workspace can show. After the rest, since npm and tsc leave no processor to tests that measure time.
const whole = (name: string) =>
  fromSource({
    name,
    include: [`tests/${name}.test.ts`],
    setupFiles: replayable,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    sequence: { groupOrder: 2 },
  })

const runtimes = fromSource({
  name: 'runtimes',
  root: 'runtime-tests',
  include: ['*.test.ts'],
  testTimeout: 60_000,
  hookTimeout: 120_000,
  sequence: { groupOrder: 2 },
})

const results = process.env['TEST_RESULTS']

export default defineConfig({
  test: {
    // Much of the time is spent in waiting for processes and sockets.
    maxWorkers: 2,
    // `.ci/run` and `npm run check` end with the numbers of this report.
    reporters: results === undefined ? ['default'] : ['default', ['json', { outputFile: results }]],
    projects: [
      unit('protocol'),
      unit('client'),
      unit('webhooks'),
      unit('mock-server'),
      unit('mirror'),
      programs,
      stores('stores', 'packages/webhooks'),
      stores('mirror-stores', 'packages/mirror'),
      ...(isInstalled('chromium') ? [inChromium] : []),
      types,
      whole('round-trip'),
      whole('contract-variants'),
      whole('contract-coverage'),
      whole('receiving-simulator'),
      whole('receiving-under-fire'),
      whole('mirror-simulator'),
      whole('mirror-under-fire'),
      whole('tour'),
      whole('budgets'),
      whole('docs'),
      whole('mock-server-program'),
      whole('packed-packages'),
      whole('api-reports'),
      whole('newcomer'),
      whole('workflows'),
      whole('examples'),
      runtimes,
      // Minutes of compilers and browsers: `npm run test:release`. Every landing builds the site, and compiles with one TypeScript.
      ...(process.env['RELEASE'] ? [whole('site'), whole('type-resolution')] : []),
    ],
  },
})
