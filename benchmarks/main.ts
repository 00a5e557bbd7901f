import { measureAllocation } from './src/allocation.ts'
import { measureCommandLine } from './src/command-line.ts'
import { measureConstantTime } from './src/constant-time.ts'
import { measureExactlyOnce } from './src/exactly-once.ts'
import { measureForgeries } from './src/forgeries.ts'
import { measureImports } from './src/imports.ts'
import { measureListing } from './src/listing.ts'
import { measureManyIntegrations } from './src/many-integrations.ts'
import { measureManyMirrors } from './src/many-mirrors.ts'
import { measureMirrorBackfill } from './src/mirror-backfill.ts'
import { measureMirrorHints } from './src/mirror-hints.ts'
import { measureMirrorOfOneAccount, measureMirrorWorkers } from './src/mirror-one-account.ts'
import { measureMirrorFullListing } from './src/mirror-scan.ts'
import { measureMirrorSearch } from './src/mirror-search.ts'
import { measureMirrorSteady } from './src/mirror-steady.ts'
import { measurePostgresStore } from './src/postgres-store.ts'
import { measureRedisStore } from './src/redis-store.ts'
import { sectionOf, type Table, updatePage } from './src/report.ts'
import { measureServers } from './src/servers.ts'
import { measureSizes } from './src/sizes.ts'
import { measureSlowStore } from './src/slow-store.ts'
import { measureSqliteStore } from './src/sqlite-store.ts'
import { measureStoreRoundTrips } from './src/store-round-trips.ts'
import { measureTypeChecks } from './src/type-checks.ts'
import { measureVerification } from './src/verify.ts'

const measurements: Readonly<Record<string, () => Promise<readonly Table[]>>> = {
  verification: measureVerification,
  servers: measureServers,
  allocation: measureAllocation,
  forgeries: measureForgeries,
  'constant-time': measureConstantTime,
  'slow-store': measureSlowStore,
  'redis-store': measureRedisStore,
  'postgres-store': measurePostgresStore,
  'exactly-once': measureExactlyOnce,
  'sqlite-store': measureSqliteStore,
  'store-round-trips': measureStoreRoundTrips,
  'many-integrations': measureManyIntegrations,
  listing: measureListing,
  'mirror-backfill': measureMirrorBackfill,
  'mirror-scan': () => measureMirrorFullListing(100_000, ['sqlite', 'postgres']),
  'mirror-hints': measureMirrorHints,
  'mirror-steady': measureMirrorSteady,
  'mirror-search': measureMirrorSearch,
  sizes: measureSizes,
  imports: measureImports,
  'command-line': measureCommandLine,
  'type-checks': measureTypeChecks,
}

/** Too long for the default run. */
const longMeasurements: typeof measurements = {
  'many-mirrors': measureManyMirrors,
  'mirror-one-account': measureMirrorOfOneAccount,
  'mirror-workers': measureMirrorWorkers,
  'mirror-scan-million': () => measureMirrorFullListing(1_000_000, ['sqlite']),
}

const asked = process.argv.slice(2)
const sections: string[] = []
for (const name of asked.length === 0 ? Object.keys(measurements) : asked) {
  const measure = measurements[name] ?? longMeasurements[name]
  if (measure === undefined) throw new Error(`There is no measurement ${name}.`)
  const began = performance.now()
  const measured = (await measure()).map((table) => sectionOf(name, table))
  console.log(`${measured.join('')}${name} took ${((performance.now() - began) / 1000).toFixed(0)} s.\n`)
  sections.push(...measured)
}
await updatePage(sections, asked.length === 0)
