#!/usr/bin/env node

// The version that `engines` in package.json requires.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > 22 || (major === 22 && minor >= 12)) {
  // Imported after the check: an older Node.js cannot load this file, and its error would not mention the version.
  const { runProgram } = await import('./program.ts')
  process.exitCode = await runProgram(process.argv.slice(2), {
    print: (text) => process.stdout.write(`${text}\n`),
    printError: (text) => process.stderr.write(`${text}\n`),
    interrupted: () =>
      new Promise((resolve) => {
        // `once`, so that a second Ctrl-C ends the process immediately.
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve)
      }),
  })
} else {
  process.stderr.write(
    `notewire-mock-server needs Node.js 22.12 or newer; this is Node.js ${process.versions.node}. Install a newer one from https://nodejs.org and run the command again.\n`,
  )
  process.exitCode = 1
}
