#!/usr/bin/env node

/** As `engines` of package.json says. */
const NEEDED = { major: 22, minor: 16 }

const running = process.versions.node
const [major = 0, minor = 0] = running.split('.').map(Number)
if (major > NEEDED.major || (major === NEEDED.major && minor >= NEEDED.minor)) {
  // Imported only now, because an older Node.js fails to load it with an error that does not mention versions.
  const { runProgram } = await import('./program.ts')
  process.exitCode = await runProgram(process)
} else {
  process.stderr.write(
    `notewire needs Node.js ${NEEDED.major}.${NEEDED.minor} or newer; this is Node.js ${running}. Install a newer one from https://nodejs.org and run the command again.\n`,
  )
  process.exitCode = 1
}
