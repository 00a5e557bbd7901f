#!/usr/bin/env node

/** The version that `engines` in package.json requires. */
const NEEDED = { major: 22, minor: 16 }

const running = process.versions.node
const [major = 0, minor = 0] = running.split('.').map(Number)
if (major > NEEDED.major || (major === NEEDED.major && minor >= NEEDED.minor)) {
  // Imported after the check: an older Node.js cannot load this file, and its error would not mention the version.
  const { runProgram } = await import('./program.ts')
  process.exitCode = await runProgram(process)
} else {
  process.stderr.write(
    `notewire needs Node.js ${NEEDED.major}.${NEEDED.minor} or newer; this is Node.js ${running}. Install a newer one from https://nodejs.org and run the command again.\n`,
  )
  process.exitCode = 1
}
