/** Names this process for the people who read an error, or the row of an integration: its id and its host, where the platform tells them. */
export function workerName(): string {
  const { process }: { readonly process?: Partial<Pick<NodeJS.Process, 'pid' | 'env'>> } = globalThis
  const host = process?.env?.['HOSTNAME']
  const ofProcess = process?.pid === undefined ? 'another worker' : `process ${process.pid}`
  return host === undefined || host === '' ? ofProcess : `${ofProcess} on ${host}`
}
