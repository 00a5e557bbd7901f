import { setTimeout as sleep } from 'node:timers/promises'
import type { NotesService } from '@notewire/mock-server'
import type { Command } from './application-settings.ts'
import type { Customer } from './customers.ts'
import type { CommandResult, Network } from './network.ts'

/** How long a command may take by the clock of the machine before virtual time passes, too. */
const PATIENCE_MS = 5_000
/** The application waits for leases of killed processes by its clock. */
const WAIT = '30s'
/** Without an end, a command is a violation. */
const MOST_WAITS = 24

interface OperatorParts {
  readonly service: NotesService
  readonly network: Network
  /** The latest key of a customer. */
  readonly keyOf: (customer: Customer) => string
  readonly tell: (line: string) => void
}

/** Gives commands to the application, one after another, and repeats those that fail. */
export class Operator {
  readonly #service: NotesService
  readonly #network: Network
  readonly #keyOf: (customer: Customer) => string
  readonly #tell: (line: string) => void
  #waiting: readonly Command[] = []

  constructor({ service, network, keyOf, tell }: OperatorParts) {
    this.#service = service
    this.#network = network
    this.#keyOf = keyOf
    this.#tell = tell
  }

  /** How many commands have not succeeded yet. */
  get left(): number {
    return this.#waiting.length
  }

  /** Gives a command that must succeed. */
  async order(command: Command): Promise<void> {
    this.#waiting = [...this.#waiting, command]
    await this.retry()
  }

  /** Repeats the commands that failed. */
  async retry(): Promise<void> {
    const blocked = new Set<string>()
    for (const command of this.#waiting) {
      const queue = queueOf(command)
      if (blocked.has(queue)) continue
      const result = await this.give(command)
      if (result === 'done') this.#waiting = this.#waiting.filter((other) => other !== command)
      else blocked.add(queue)
    }
  }

  /** Gives a command once. Virtual time passes if it takes long. */
  async give(command: Command): Promise<CommandResult> {
    const apiKey = 'customer' in command ? this.#keyOf(command.customer) : ''
    const given = this.#network.command(command, apiKey)
    for (let waits = 0; waits < MOST_WAITS; waits += 1) {
      const result = await Promise.race([given, sleep(PATIENCE_MS)])
      if (result !== undefined) {
        if (result !== 'done' || command.act !== 'work') this.#tell(`${about(command)}: ${textOf(result)}`)
        return result
      }
      await this.#service.clock.advance(WAIT)
      await this.#network.command({ act: 'nothing' })
    }
    throw new Error(`${about(command)} does not end`)
  }
}

/**
 * The commands of a queue succeed in order: a customer connects, replaces the key and leaves. Other commands delay none, because they may fail until
 * the key is replaced.
 */
function queueOf(command: Command): string {
  return 'customer' in command && command.act !== 'rotate secret' ? command.customer : JSON.stringify(command)
}

function about(command: Command): string {
  return 'customer' in command ? `${command.act} (${command.customer})` : command.act
}

function textOf(result: CommandResult): string {
  return typeof result === 'string' ? result : `failed: ${result.failed}`
}
