import { spawn } from 'node:child_process'
import { tool, WORKSPACE } from './run.ts'

// Usage: npm run watch, or npm run watch -- mirror notewire, for the tests of these packages alone. At every change it
// checks the types of the whole workspace, and runs the tests that the change concerns; `h` tells what Vitest can do.
const LIBRARIES = ['protocol', 'client', 'webhooks', 'mock-server', 'mirror']
const asked = process.argv.slice(2)
const projects = (asked.length === 0 ? LIBRARIES : asked).flatMap((name) => ['--project', name])

// Neither clears the screen, since the other has written there.
const compiler = spawn(tool('tsc'), ['--watch', '--preserveWatchOutput', '--pretty'], {
  cwd: WORKSPACE,
  stdio: ['ignore', 'inherit', 'inherit'],
})
const vitest = spawn(
  tool('vitest'),
  ['--watch', '--config', 'vitest.workspace.ts', '--clearScreen=false', ...projects],
  { cwd: WORKSPACE, stdio: 'inherit' },
)
vitest.once('exit', (status) => {
  compiler.kill()
  process.exitCode = status ?? 1
})
