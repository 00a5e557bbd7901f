import type { IntegrationRecord } from '../integrations/integration-store.ts'

/** Whether a row that is written must survive a crash. A lease, and the schedule, need not: both begin again. */
export function mustSurvive(next: IntegrationRecord, read: IntegrationRecord | undefined): boolean {
  return read?.state !== next.state || read.generation !== next.generation
}
