import { refuseNoSignal } from '@notewire/protocol'

/**
 * Runs two reads concurrently. The first failure aborts the other read, whose result would not be used.
 *
 * @param signal  aborts both
 * @throws what the first failed read throws
 */
export async function readBoth<One, Other>(
  signal: AbortSignal | undefined,
  readOne: (signal: AbortSignal) => Promise<One>,
  readOther: (signal: AbortSignal) => Promise<Other>,
): Promise<[One, Other]> {
  const stopped = new AbortController()
  refuseNoSignal(signal)
  // Not `AbortSignal.any`: Node.js 22 keeps what is derived from a signal as long as the signal, and many calls may share it.
  const forwardAbort = () => stopped.abort(signal?.reason)
  if (signal?.aborted) forwardAbort()
  signal?.addEventListener('abort', forwardAbort)
  try {
    return await Promise.all([readOne(stopped.signal), readOther(stopped.signal)])
  } catch (error) {
    stopped.abort(error)
    throw error
  } finally {
    signal?.removeEventListener('abort', forwardAbort)
  }
}
