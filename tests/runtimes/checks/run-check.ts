// Usage: run-check.js <check> <its argument as JSON>
// Prints what the check has seen, as JSON, in one line after everything else.
import { clientAgainstAPort } from './client-against-a-port.ts'
import { receiverRoundTrip } from './receiver-round-trip.ts'
import { serviceInProcess } from './service-in-process.ts'
import { serviceLog } from './service-log.ts'
import { sqliteMirrorInAFile } from './sqlite-mirror.ts'
import { sqliteStoreInAFile } from './sqlite-store.ts'
import { verifierVectors } from './verifier-vectors.ts'

const [name = '', argument = '{}'] = process.argv.slice(2)
const checks: Readonly<Record<string, (argument: never) => Promise<unknown>>> = {
  'verifier-vectors': verifierVectors,
  'receiver-round-trip': receiverRoundTrip,
  'client-against-a-port': clientAgainstAPort,
  'sqlite-store-in-a-file': sqliteStoreInAFile,
  'sqlite-mirror-in-a-file': sqliteMirrorInAFile,
  'service-log': serviceLog,
  'service-in-process': serviceInProcess,
}

const check = checks[name]
if (check === undefined) throw new Error(`there is no check "${name}"`)
console.log(`\n${JSON.stringify(await check(JSON.parse(argument) as never))}`)
