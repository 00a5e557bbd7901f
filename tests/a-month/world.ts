import { createNotesService, type NotesService } from '@notewire/mock-server'
import { Crew } from '../mirror-under-fire/crew.ts'
import type { Postgres } from '../servers/index.ts'
import { Account } from './account.ts'
import type { ApplicationSettings } from './application-settings.ts'
import { CUSTOMERS, type Customer } from './customers.ts'
import { Databases } from './databases.ts'
import { Network } from './network.ts'
import { Operator } from './operator.ts'

/** Everything that takes part in a month. */
export interface World {
  readonly service: NotesService
  readonly network: Network
  /** The one process of the application, or none. */
  readonly crew: Crew
  readonly operator: Operator
  readonly databases: Databases
  readonly accountOf: (customer: Customer) => Account
  /** The customers that have connected their account. */
  readonly connected: Set<Customer>
  /** How often the application has worked since a customer left or a database was restored. */
  readonly quiet: { works: number }
  /** What happened, in words. */
  readonly lines: string[]
  tell(line: string): void
}

interface WorldOptions {
  readonly seed: number
  readonly server: Postgres
  readonly bug: string | undefined
  readonly cleanUp: AsyncDisposableStack
}

export async function makeWorld({ seed, server, bug, cleanUp }: WorldOptions): Promise<World> {
  const service = await createNotesService({ seed, clock: 'virtual', keepLast: 1_000_000 })
  cleanUp.defer(() => service.close())
  await service.listen()
  const databases = await Databases.create(server, `${seed}_${crypto.randomUUID().slice(0, 8)}`.replaceAll('-', '_'))
  cleanUp.defer(() => databases.close())
  const { mirrorUrl, applicationUrl } = databases
  const crew = new Crew(
    new URL('./worker.ts', import.meta.url),
    () =>
      ({ mirrorUrl, applicationUrl, baseUrl: network.url, publicUrl: network.url, bug }) satisfies ApplicationSettings,
  )
  const network = new Network(service, crew)
  await network.open()
  cleanUp.defer(() => network.close())
  cleanUp.defer(() => crew.killAll())
  const accounts = CUSTOMERS.map((customer) => new Account(service, customer))
  const accountOf = (customer: Customer) => {
    const found = accounts.find((account) => account.customer === customer)
    if (found === undefined) throw new Error(`${customer} has no account`)
    return found
  }
  const lines: string[] = []
  const tell = (line: string) => void lines.push(`${new Date(service.clock.now()).toISOString()}  ${line}`)
  return {
    service,
    network,
    crew,
    operator: new Operator({ service, network, keyOf: (customer) => accountOf(customer).apiKey, tell }),
    databases,
    accountOf,
    connected: new Set(),
    quiet: { works: 0 },
    lines,
    tell,
  }
}
