// Usage: node --import ./record-loaded.ts …
// Prints the address of every module that the program loads, one a line.
import { registerHooks } from 'node:module'

const loaded: string[] = []
registerHooks({
  load: (url, context, nextLoad) => {
    loaded.push(url)
    return nextLoad(url, context)
  },
})
process.on('exit', () => process.stdout.write(loaded.join('\n')))
