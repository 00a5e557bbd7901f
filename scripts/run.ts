import { execFile } from 'node:child_process'
import { delimiter, dirname, join } from 'node:path'

/** The root folder of the workspace. */
export const WORKSPACE = join(import.meta.dirname, '..')

/**
 * Runs a program, on the Node.js and with the tools of the workspace, and answers what it printed.
 *
 * @throws an error that holds everything the program printed, when it fails
 */
export function run(program: string, args: readonly string[], folder: string): Promise<string> {
  // npm scripts put these on the path already; editors and debuggers do not.
  const path = [dirname(process.execPath), join(WORKSPACE, 'node_modules/.bin'), process.env['PATH']].join(delimiter)
  const options = { cwd: folder, env: { ...process.env, PATH: path }, maxBuffer: 64 * 1024 * 1024 }
  return new Promise((resolve, reject) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${program} ${args.join(' ')}: exit status ${error.code}\n${stdout}\n${stderr}`))
    })
  })
}
