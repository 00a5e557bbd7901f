#!/usr/bin/env node
import { runProgram } from './program.ts'

process.exitCode = await runProgram(process.argv.slice(2), {
  print: (text) => process.stdout.write(`${text}\n`),
  complain: (text) => process.stderr.write(`${text}\n`),
  interrupted: () =>
    new Promise((resolve) => {
      // Once: the second Ctrl-C does what it does to any program.
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve)
    }),
})
