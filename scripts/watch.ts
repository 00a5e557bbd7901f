import { spawn } from 'node:child_process'
import { tool, WORKSPACE } from './run.ts'

// Usage: npm run watch, or npm run watch -- mirror notewire for the tests of only these packages. After each change it
// checks the types of the whole workspace and runs the affected tests. `h` shows the commands of Vitest.
const LIBRARIES = ['protocol', 'storage', 'client', 'webhooks', 'mock-server', 'mirror']
const asked = process.argv.slice(2)
const projects = (asked.length === 0 ? LIBRARIES : asked).flatMap((name) => ['--project', name])

// Neither program clears the screen, because it would remove the output of the other.
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
