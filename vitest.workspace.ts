import { defineConfig } from 'vitest/config'
import { ProjectOrder } from './tests/project-order.ts'
import { FlakyTestsReporter } from './tests/report-flaky-tests.ts'
import { ResultsReporter } from './tests/report-results.ts'
import { isInstalled } from './tests/servers/is-installed.ts'
import { isProof, testRun } from './tests/test-run.ts'

// Our own packages are tested from their sources; `tests/packed-packages.test.ts` tests what is published.
const resolve = { conditions: ['@notewire/source'] }
const fromSource = <Test>(test: Test) => ({ resolve, ssr: { resolve }, test })

const replayable = [`${import.meta.dirname}/tests/replayable-properties.ts`]

const inBrowsers = ['src/**/*.browser.test.ts']
const onRealServers = ['src/stores/*/**/*.test.ts']
const underFire = [
  'src/stores/*/{consuming-under-fire,many-processes,many-workers}.test.ts',
  'src/commands/pull-after-a-kill.test.ts',
]
// Each test runs `notewire` as a process of its own.
const ofCommands = [
  'src/commands/*.test.ts',
  'src/{help,json-output,program}.test.ts',
  'src/configuration/{configuration,hostile-folder,misleading-settings}.test.ts',
  'src/terminal/printing.test.ts',
]
const ofDoctor = ['src/commands/doctor/{,python-}receivers.test.ts']
const onRedis = ['src/stores/redis/**/*.test.ts']
const long = ['src/**/*.long.test.ts']

// With one worker, Vitest runs group 0, the default, after all others. The groups below are therefore 1 and 2.
export const unit = (name: string) =>
  fromSource({
    name,
    root: `packages/${name}`,
    include: ['src/**/*.test.ts'],
    exclude: [...onRealServers, ...inBrowsers, ...underFire, ...ofCommands, ...ofDoctor, ...long],
    setupFiles: replayable,
    // A process for each file would take a third of the time. A receiver warns once in a process if a program makes receivers for each delivery, as
    // tests do.
    isolate: name === 'webhooks',
    sequence: { groupOrder: 1 },
  })

// The stores of a package on SQLite and on the PostgreSQL that `notewire-test-servers` starts.
export const stores = (name: string, root: string) =>
  fromSource({
    name,
    root,
    include: onRealServers,
    exclude: [...onRedis, ...underFire, ...long],
    setupFiles: replayable,
    sequence: { groupOrder: 1 },
  })

// The Redis store.
export const redisStore = fromSource({
  name: 'redis-store',
  root: 'packages/webhooks',
  include: onRedis,
  // In CI nothing is left out: what is missing there fails.
  exclude: isInstalled('redis-server') ? [] : ['src/stores/redis/**'],
  setupFiles: replayable,
  sequence: { groupOrder: 1 },
})

// Processes and databases that are killed, on SQLite and PostgreSQL: a few times in `npm run test:all`, often in `npm run proof`.
const killedProcesses = fromSource({
  name: 'killed-processes',
  include: underFire.map((pattern) => `packages/*/${pattern}`),
  setupFiles: replayable,
  sequence: { groupOrder: 1 },
})

// Tests that take five seconds of a processor or ten seconds of waiting, for what seldom breaks.
const longTests = fromSource({
  name: 'long',
  include: ['packages/*/src/**/*.long.test.ts', 'tests/*.long.test.ts'],
  setupFiles: replayable,
  sequence: { groupOrder: 1 },
})

// The console of @notewire/mock-server in a real Chromium.
const inChromium = fromSource({
  name: 'console',
  root: 'packages/mock-server',
  include: inBrowsers,
  sequence: { groupOrder: 1 },
})

// Tests of the command line that take too long for `npm test`.
const slow = (name: string, include: string[]) =>
  fromSource({
    name,
    root: 'packages/notewire',
    include,
    exclude: underFire,
    setupFiles: replayable,
    sequence: { groupOrder: 1 },
  })

// The commands of `notewire`, each run as a process of its own.
const commands = slow('commands', ofCommands)

// `notewire doctor` against wrong and right receivers in TypeScript and Python.
const doctorReceivers = slow('doctor-receivers', ofDoctor)

// All type tests in one TypeScript program.
const types = {
  test: {
    name: 'types',
    include: [],
    typecheck: {
      enabled: true,
      only: true,
      include: ['packages/*/src/**/*.test-d.ts', 'tests/*.test-d.ts'],
      tsconfig: 'tsconfig.json',
      ignoreSourceErrors: true, // `npm run types` reports those.
    },
  },
}

// What only the whole workspace can show. After the rest, since npm and tsc leave no processor to tests that measure time.
const whole = (name: string, test: { readonly maxConcurrency?: number } = {}) =>
  fromSource({
    name,
    include: [`tests/${name}.test.ts`],
    setupFiles: replayable,
    sequence: { groupOrder: 2 },
    ...test,
  })

// They install projects outside, and wait for much more than they compute.
const ofProjects = { maxConcurrency: 2 }

const runtimes = fromSource({
  name: 'runtimes',
  root: 'tests/runtimes',
  include: ['*.test.ts'],
  sequence: { groupOrder: 2 },
})

// `.ci/run` and `npm run check` end with the numbers of the reports in this folder.
const results = process.env['TEST_RESULTS']

// What `npm test` runs: the packages from their sources, their types, and their stores on real databases. Here and below, the longest are listed first.
const people = [
  stores('mirror-stores', 'packages/mirror'),
  stores('stores', 'packages/webhooks'),
  unit('mirror'),
  unit('webhooks'),
  unit('notewire'),
  unit('client'),
  unit('mock-server'),
  unit('protocol'),
  types,
  whole('another-key'),
  whole('note-handler-parts'),
  whole('wrong-arguments'),
  whole('contract-variants'),
  whole('contract-errors'),
  whole('contract-events'),
  whole('option-defaults'),
  whole('option-tables'),
  whole('troubleshooting'),
  whole('operate'),
  whole('planted-statements'),
]
const simulators = [
  whole('receiving-under-fire'),
  whole('mirror-simulator'),
  whole('many-mirrors'),
  whole('mirror-under-fire'),
  whole('many-mirrors-under-fire'),
  whole('a-month'),
  whole('receiving-simulator'),
]
// What `npm run test:all` runs in addition, after a build.
const rest = [
  ...(isInstalled('chromium') ? [inChromium] : []),
  doctorReceivers,
  commands,
  killedProcesses,
  longTests,
  redisStore,
  whole('examples', ofProjects),
  whole('quickstarts', ofProjects),
  ...simulators,
  whole('newcomer'),
  whole('linear-expressions'),
  runtimes,
  whole('budgets'),
  whole('packed-packages'),
  whole('gates'),
  whole('tour'),
  whole('api-reports'),
  whole('docs'),
  whole('contract-coverage'),
  whole('see-it-work'),
  whole('mock-server-program'),
  whole('workflows'),
]
// Minutes of compilers and browsers.
const release = [whole('site'), whole('see-it-work-in-browser'), whole('type-resolution')]

const projects = {
  people,
  rest,
  proof: [...simulators, killedProcesses],
  release,
  any: [...people, ...rest, ...release],
}

export default defineConfig({
  test: {
    // Much of the time is spent in waiting for processes and sockets.
    maxWorkers: 3,
    sequence: { sequencer: ProjectOrder },
    // Against tests that hang: none may fail because the machine is slow. Below the limits in `scripts/gates.ts`, which do not name tests.
    testTimeout: isProof ? 7_200_000 : 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    globalSetup: ['report-test-run', 'test-environment'].map((name) => `${import.meta.dirname}/tests/${name}.ts`),
    // On a shared machine one test in thousands may meet a limit of the machine. CI repeats it once, and names it at the end. It does not wait again
    // for a test that hangs.
    retry: process.env['CI'] === undefined ? 0 : { count: 1, condition: /^(?!Test timed out)/ },
    reporters: [
      'default',
      new FlakyTestsReporter(),
      new ResultsReporter(results === undefined ? undefined : `${results}/${testRun}.json`),
    ],
    projects: projects[testRun],
  },
})
