// Usage: run-check.js <check> <its argument as JSON>
// Prints what the check has seen, as JSON, in one line after everything else.
const [name = '', argument = '{}'] = process.argv.slice(2)
// Imported one by one: the mock server does not load in Node.js 20.
const checks: Readonly<Record<string, () => Promise<(argument: never) => Promise<unknown>>>> = {
  'verifier-vectors': async () => (await import('./verifier-vectors.ts')).verifierVectors,
  'receiver-round-trip': async () => (await import('./receiver-round-trip.ts')).receiverRoundTrip,
  'client-against-a-port': async () => (await import('./client-against-a-port.ts')).clientAgainstAPort,
  'sqlite-store-in-a-file': async () => (await import('./sqlite-store.ts')).sqliteStoreInAFile,
  'sqlite-store-without-node-sqlite': async () => (await import('./sqlite-store.ts')).sqliteStoreWithoutNodeSqlite,
  'sqlite-mirror-in-a-file': async () => (await import('./sqlite-mirror.ts')).sqliteMirrorInAFile,
  'service-log': async () => (await import('./service-log.ts')).serviceLog,
  'service-in-process': async () => (await import('./service-in-process.ts')).serviceInProcess,
}

const check = await checks[name]?.()
if (check === undefined) throw new Error(`there is no check "${name}"`)
console.log(`\n${JSON.stringify(await check(JSON.parse(argument) as never))}`)

export {}
