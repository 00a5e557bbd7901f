import type { MirrorStatus } from '@notewire/mirror'
import { amount } from '../terminal/amounts.ts'
import type { CopyFile } from './local-copy.ts'

/**
 * What a copy lacks, in sentences with the next step; none if it is complete: the first pull has ended, and every note that a listing or an
 * event announced was fetched. A recording that is pending, content that is empty or failed, and a part that the key may not read lack nothing.
 */
export function gapsIn(
  { isBackfilled, notes }: Pick<MirrorStatus, 'isBackfilled' | 'notes'>,
  { pull }: CopyFile,
): readonly string[] {
  const unread = notes.dirty + notes.unsettled
  return [
    !isBackfilled && `The first pull has not ended, so notes may be missing. Continue it: ${pull}`,
    unread > 0 &&
      `${amount(unread, 'note is', 'notes are')} still to be read, and may lack the current transcript or summary. The next pull reads them: ${pull}`,
  ].filter((gap) => gap !== false)
}
