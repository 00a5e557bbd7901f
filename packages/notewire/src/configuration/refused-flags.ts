import { UsageError } from '../usage-error.ts'
import { longFlag, SECRETS } from './setting-table.ts'

/**
 * Refuses secrets among the arguments, before anything is made of them, and without quoting them.
 *
 * @throws `UsageError` that says where the secret belongs
 */
export function refuseSecretFlags(args: readonly string[]): void {
  const end = args.indexOf('--')
  for (const argument of end === -1 ? args : args.slice(0, end)) {
    const [flag = ''] = argument.split('=')
    const secret = Object.values(SECRETS).find(({ refusedFlags }) => refusedFlags.some((refused) => refused === flag))
    if (secret === undefined) continue
    const { title, variable, file } = secret
    throw new UsageError(
      `${flag} is not taken: what is typed ends up in the history of the shell, and every user of the machine can see it. Set ${variable}, or name a file that holds the ${title} with ${longFlag(file)}. If you have typed the ${title} here, make a new one.`,
    )
  }
}
