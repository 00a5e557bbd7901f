import type { Mirror } from '@notewire/mirror'
import type { Surroundings } from '../commands/command.ts'
import type { Bell } from './bell.ts'
import { changeLine, changeRecord } from './describe-change.ts'
import { followChanges } from './follow-changes.ts'

/**
 * Lists what has changed while nobody watched.
 *
 * @returns where what is shown begins: behind the first pull, or else with what is found now
 */
export async function catchUp(mirror: Mirror, signal: AbortSignal): Promise<string | null> {
  const before = await mirror.status()
  await mirror.sync({ signal })
  const { position } = before.isBackfilled ? before : await mirror.status()
  return position
}

/**
 * Keeps the copy up to date and shows what changes, until the signal fires.
 *
 * @throws what no patience can mend: a key that is refused, or was changed
 */
export async function watchCopy(
  mirror: Mirror,
  { after, bell }: { readonly after: string | null; readonly bell: Bell },
  { clock, signal, output }: Pick<Surroundings, 'clock' | 'signal' | 'output'>,
): Promise<void> {
  const over = new AbortController()
  const either = AbortSignal.any([signal, over.signal])
  const works = [
    mirror.run({ signal: either }),
    warnOfSilence(mirror, either, { clock, output }),
    followChanges(mirror, {
      after,
      bell,
      signal: either,
      show: (change) => {
        const at = clock.now()
        return output.print(changeRecord(change, at), changeLine(change, at, output))
      },
    }),
  ]
  try {
    await Promise.race(works)
  } finally {
    over.abort()
    await Promise.allSettled(works)
  }
}

const LISTEN_EVERY_MS = 60_000

/** Says once that events have stopped coming, as the polls show. */
async function warnOfSilence(
  mirror: Mirror,
  signal: AbortSignal,
  { clock, output }: Pick<Surroundings, 'clock' | 'output'>,
): Promise<void> {
  for (let wasSilent = false; !signal.aborted; ) {
    const { silence } = await mirror.status()
    if (silence !== null && !wasSilent) output.warn(`Events have stopped: ${silence}. See: notewire endpoints list`)
    wasSilent = silence !== null
    await clock.sleep(LISTEN_EVERY_MS, signal).catch(() => undefined)
  }
}
