import { Account, type Env } from '../src/account.ts'
import worker from '../src/worker.ts'

/** The Worker, with objects that count alarms and rows, and whose clock can be advanced. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname !== '/measure') return await worker.fetch(request, env)
    const object = env.ACCOUNTS.getByName(searchParams.get('id') ?? '') as CountedAccount
    return Response.json(await object.measure(Number(searchParams.get('minutes'))))
  },
}

/** What the platform bills for an object, since the last measurement. */
export interface Counts {
  alarms: number
  calls: number
  rowsRead: number
  rowsWritten: number
}

const NOTHING: Readonly<Counts> = { alarms: 0, calls: 0, rowsRead: 0, rowsWritten: 0 }
let counts = { ...NOTHING }
let advancedMs = 0
const now = Date.now
Date.now = () => now() + advancedMs

class CountedAccount extends Account {
  constructor(...parameters: ConstructorParameters<typeof Account>) {
    super(...parameters)
    countRows(this.ctx.storage)
  }

  override async hear(...parameters: Parameters<Account['hear']>): Promise<void> {
    counts.calls += 1
    await super.hear(...parameters)
  }

  override async alarm(): Promise<void> {
    counts.alarms += 1
    await super.alarm()
  }

  /** Advances the clock, does what is due, and returns the counts. */
  async measure(minutes: number): Promise<Counts> {
    advancedMs += minutes * 60_000
    if (minutes > 0) await this.alarm()
    const counted = counts
    counts = { ...NOTHING }
    return counted
  }
}

export { CountedAccount as Account }

interface Cursor {
  readonly rowsRead: number
  readonly rowsWritten: number
  toArray(): object[]
}

let isCounting = false

function countRows(storage: Account['ctx']['storage']): void {
  if (isCounting) return
  isCounting = true
  wrap(Object.getPrototypeOf(storage.sql), 'exec', (cursor: Cursor) => ({
    toArray() {
      const rows = cursor.toArray()
      counts.rowsRead += cursor.rowsRead
      counts.rowsWritten += cursor.rowsWritten
      return rows
    },
  }))
  // A value or an alarm counts as a row.
  const read = <Result>(result: Result) => {
    counts.rowsRead += 1
    return result
  }
  const written = <Result>(result: Result) => {
    counts.rowsWritten += 1
    return result
  }
  const prototype = Object.getPrototypeOf(storage)
  for (const name of ['get', 'getAlarm']) wrap(prototype, name, read)
  for (const name of ['put', 'setAlarm']) wrap(prototype, name, written)
}

function wrap<Result>(
  prototype: Record<string, (...parameters: never[]) => Result>,
  name: string,
  after: (result: Result) => unknown,
) {
  const original = prototype[name]
  if (original === undefined) throw new Error(`The storage has no ${name}.`)
  Object.defineProperty(prototype, name, {
    value(this: object, ...parameters: never[]) {
      return after(Reflect.apply(original, this, parameters))
    },
  })
}
