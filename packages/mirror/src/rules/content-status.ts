const ABSENT: ReadonlySet<string> = new Set(['pending', 'empty', 'missing', 'failed'])

/** Whether a status says itself that there is no content, so that it changes when content comes. */
export function saysAbsent(status: string | null | undefined): boolean {
  return ABSENT.has(status ?? '')
}
