import type { Contract } from '../variants/contract-variants.ts'
import type { Endpoint } from './endpoint.ts'
import { transitionOf } from './endpoint-state.ts'

/** Too many failures in a row disable an active endpoint, which became so by a success (contract §3; open point 16). */
export function countFailure(
  endpoint: Endpoint,
  failed: 'an attempt' | 'the last attempt',
  { disableAfter, disableCounts }: Pick<Contract, 'disableAfter' | 'disableCounts'>,
): void {
  if (disableCounts === 'deliveries' && failed === 'an attempt') return
  endpoint.failuresInARow += 1
  if (disableAfter === 'never' || endpoint.failuresInARow < disableAfter) return
  endpoint.state = transitionOf(endpoint.state, 'failed_too_often').to
}
