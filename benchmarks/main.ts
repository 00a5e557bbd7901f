import { measureAllocation } from './src/allocation.ts'
import { measureCommandLine } from './src/command-line.ts'
import { measureConstantTime } from './src/constant-time.ts'
import { measureForgeries } from './src/forgeries.ts'
import { measureImports } from './src/imports.ts'
import { measureListing } from './src/listing.ts'
import { measureManyIntegrations } from './src/many-integrations.ts'
import { measureManyMirrors } from './src/many-mirrors.ts'
import { measureMirrorBackfill } from './src/mirror-backfill.ts'
import { measureMirrorHints } from './src/mirror-hints.ts'
import { measureMirrorScan } from './src/mirror-scan.ts'
import { measureMirrorSearch } from './src/mirror-search.ts'
import { measureMirrorSteady } from './src/mirror-steady.ts'
import { measurePostgresStore } from './src/postgres-store.ts'
import { measureQueues } from './src/queues.ts'
import { measureRedisStore } from './src/redis-store.ts'
import { figure, type Table, writeReport } from './src/report.ts'
import { measureServers } from './src/servers.ts'
import { measureSizes } from './src/sizes.ts'
import { measureSlowStore } from './src/slow-store.ts'
import { measureSqliteStore } from './src/sqlite-store.ts'
import { measureStoreRoundTrips } from './src/store-round-trips.ts'
import { measureTypeChecks } from './src/type-checks.ts'
import { updateReport } from './src/update-report.ts'
import { measureVerification } from './src/verify.ts'

const measurements: Readonly<Record<string, () => Promise<readonly Table[]>>> = {
  verification: measureVerification,
  servers: measureServers,
  allocation: measureAllocation,
  forgeries: measureForgeries,
  'many-integrations': measureManyIntegrations,
  'many-mirrors': measureManyMirrors,
  'redis-store': measureRedisStore,
  'postgres-store': measurePostgresStore,
  'sqlite-store': measureSqliteStore,
  'store-round-trips': measureStoreRoundTrips,
  'slow-store': measureSlowStore,
  queues: measureQueues,
  listing: measureListing,
  'mirror-backfill': measureMirrorBackfill,
  'mirror-scan': measureMirrorScan,
  'mirror-hints': measureMirrorHints,
  'mirror-steady': measureMirrorSteady,
  'mirror-search': measureMirrorSearch,
  sizes: measureSizes,
  imports: measureImports,
  'command-line': measureCommandLine,
  'type-checks': measureTypeChecks,
  'constant-time': measureConstantTime,
}

// `npm run benchmarks` measures everything and writes the whole page. With names it measures only those, and replaces their
// tables. With `MIRROR_SHARE` it writes nothing.
const asked = process.argv.slice(2)
const names = asked.length === 0 ? Object.keys(measurements) : asked
const tables: Table[] = []
for (const name of names) {
  for (const table of (await measurements[name]?.()) ?? []) {
    tables.push(table)
    console.log(`\n${table.title} (${table.unit})`)
    for (const { name, value, ratio } of table.rows) {
      console.log(`  ${figure(value).padStart(8)}  ${ratio.toFixed(2).padStart(6)} ×  ${name}`)
    }
  }
}
if (process.env['MIRROR_SHARE'] === undefined) await (asked.length === 0 ? writeReport : updateReport)(tables)
