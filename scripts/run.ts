import { execFile } from 'node:child_process'
import { delimiter, dirname, join } from 'node:path'

/** The root folder of the workspace. */
export const WORKSPACE = join(import.meta.dirname, '..')

/** The path of a tool that the workspace has installed, such as `tsc` or `pnpm`. */
export function tool(name: string): string {
  return join(WORKSPACE, 'node_modules/.bin', name)
}

/**
 * Runs a program with {@link environmentOutside}, and resolves with its output.
 *
 * @param environment  variables to add
 * @throws an error with the whole output if the program fails
 */
export function run(
  program: string,
  args: readonly string[],
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const options = { cwd: folder, env: { ...environmentOutside(), ...environment }, maxBuffer: 64 * 1024 * 1024 }
  return new Promise((resolve, reject) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${program} ${args.join(' ')}: exit status ${error.code}\n${stdout}\n${stderr}`))
    })
  })
}

/**
 * The environment of a program in a project outside the workspace. It uses this Node.js, and finds no tool of the
 * workspace, so that it can use only what its project has installed.
 */
export function environmentOutside(): NodeJS.ProcessEnv {
  const outside = (process.env['PATH'] ?? '').split(delimiter).filter((place) => !place.includes('node_modules'))
  return { ...process.env, PATH: [dirname(process.execPath), ...outside].join(delimiter) }
}
