import { execFile } from 'node:child_process'
import { delimiter, dirname, join } from 'node:path'

/** The root folder of the workspace. */
export const WORKSPACE = join(import.meta.dirname, '..')

/** The path of a tool that the workspace has installed: `tsc`, `pnpm`. */
export function tool(name: string): string {
  return join(WORKSPACE, 'node_modules/.bin', name)
}

/**
 * Runs a program, on the Node.js that runs this, and answers what it printed. It finds no tool of the workspace by
 * itself, so that a project outside has only what it installed.
 *
 * @throws an error that holds everything the program printed, when it fails
 */
export function run(program: string, args: readonly string[], folder: string): Promise<string> {
  const outside = (process.env['PATH'] ?? '').split(delimiter).filter((place) => !place.includes('node_modules'))
  const path = [dirname(process.execPath), ...outside].join(delimiter)
  const options = { cwd: folder, env: { ...process.env, PATH: path }, maxBuffer: 64 * 1024 * 1024 }
  return new Promise((resolve, reject) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${program} ${args.join(' ')}: exit status ${error.code}\n${stdout}\n${stderr}`))
    })
  })
}
