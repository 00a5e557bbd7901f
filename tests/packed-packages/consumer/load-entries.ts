// Usage: node load-entries.ts import|require <specifier>…
// Prints what each entry's call answers, and which globals loading them all has touched.
import { createRequire } from 'node:module'
import { entryCalls } from './entry-calls.ts'

const [method, ...specifiers] = process.argv.slice(2)
const require = createRequire(import.meta.url)
const load = (specifier: string): unknown => (method === 'require' ? require(specifier) : import(specifier))

readGlobals() // Node.js creates some globals, and others with them, when they are first read.
const before = readGlobals()
const entries = new Map<string, unknown>()
for (const specifier of specifiers) entries.set(specifier, await load(specifier))
const after = readGlobals()
const touched = [...before.keys(), ...after.keys()].filter((key) => !Object.is(before.get(key), after.get(key)))

const calls: Readonly<Record<string, (entry: never) => unknown>> = entryCalls
const answers: Record<string, unknown> = {}
for (const [specifier, entry] of entries) answers[specifier] = await calls[specifier]?.(entry as never)

process.stdout.write(JSON.stringify({ touched: touched.map(String), answers }))

function readGlobals(): Map<PropertyKey, unknown> {
  return new Map(Reflect.ownKeys(globalThis).map((key) => [key, Reflect.get(globalThis, key)]))
}
