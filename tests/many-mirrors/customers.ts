import { createMirrors, type MirrorStore, type Mirrors } from '@notewire/mirror'
import { createNotesService, type NotesService } from '@notewire/mock-server'
import type { Clock } from '@notewire/protocol'
import { onClock } from '../../packages/mirror/fixtures/on-clock.ts'
import { SILENT } from '../../packages/mirror/fixtures/silent-logger.ts'

/** A customer of the service: a key that sees one channel. All titles in the channel begin with the id of the integration. */
export interface Customer {
  readonly integration: string
  /** The key of the account that is connected now. */
  apiKey: string
  /** The titles of the existing notes. */
  readonly titles: Set<string>
  /** The status with which the service refuses the key; `undefined` if it does not. */
  refusal: 403 | 429 | 503 | undefined
  /** The notes of all accounts of this customer so far. */
  readonly former: { readonly noteId: string; readonly title: string }[]
  /** Ends the account. `isReplaced`: another account takes its place, which has no notes; otherwise the same one comes back. */
  leave(isReplaced: boolean): void
  write(): { readonly noteId: string; readonly title: string }
}

/** Makes a service in virtual time, with some customers. */
export async function someCustomers(
  count: number,
): Promise<{ readonly service: NotesService; readonly customers: readonly Customer[] }> {
  const service = await createNotesService({})
  let notes = 0
  const customers = Array.from({ length: count }, (_, index): Customer => {
    let channel = service.owner.createChannel(`channel ${index}`)
    const keyOfChannel = () => service.owner.createIntegration({ channels: [channel] }).issueKey().key
    const integration = `customer-${index}`
    const titles = new Set<string>()
    const former: { readonly noteId: string; readonly title: string }[] = []
    return {
      integration,
      titles,
      former,
      refusal: undefined,
      apiKey: keyOfChannel(),
      leave(isReplaced) {
        if (!isReplaced) return
        channel = service.owner.createChannel(`channel ${index} again`)
        this.apiKey = keyOfChannel()
        titles.clear()
      },
      write() {
        notes += 1
        const title = `${integration} writes ${notes}`
        titles.add(title)
        const noteId = service.owner.record({ title, channel }).end({ summary: false }).note_id
        former.push({ noteId, title })
        return { title, noteId }
      },
    }
  })
  return { service, customers }
}

/** Makes the mirrors of one process. */
export function processOn(
  store: MirrorStore,
  service: NotesService,
  customers: readonly Customer[],
  onAnswer: (integration: string) => Promise<void> = async () => undefined,
  clock: Clock = service.clock,
): Mirrors {
  return createMirrors({
    store: onClock(store, clock),
    logger: SILENT,
    connect: (integration) => {
      const customer = customers.find((customer) => customer.integration === integration)
      return {
        baseUrl: service.baseUrl,
        apiKey: customer?.apiKey ?? '',
        async fetch(request) {
          const status = customer?.refusal
          const response =
            status === undefined
              ? await service.fetch(request)
              : new Response(null, { status, headers: { 'retry-after': '3600' } })
          await onAnswer(integration)
          return response
        },
      }
    },
  })
}
