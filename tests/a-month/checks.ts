import { isDeepStrictEqual } from 'node:util'
import { openMirror } from '@notewire/mirror'
import { postgresMirror } from '@notewire/mirror/postgres'
import { isNoteEventKind } from '@notewire/protocol'
import { copyOf, truthOf } from '../mirror-under-fire/copy-and-truth.ts'
import type { openPool } from '../servers/index.ts'
import { CUSTOMERS, type Customer } from './customers.ts'
import type { World } from './world.ts'

type Pool = ReturnType<typeof openPool>

/** A removal takes some pieces of work, because the consumer must get it. */
const WORKS_OF_A_REMOVAL = 4

/** What must hold on every day: no event has two effects, no copy shows a foreign note, and nothing of customers that have left remains. */
export async function violationsOfToday(world: World): Promise<readonly string[]> {
  const { databases, connected, quiet } = world
  const gone = quiet.works < WORKS_OF_A_REMOVAL ? [] : CUSTOMERS.filter((customer) => !connected.has(customer))
  return [
    ...(await databases.ofMirror(async (pool) => [...(await foreignNotes(pool)), ...(await remainsOf(gone, pool))])),
    ...(await repeatedEffects(world)),
  ]
}

/** What must hold when all is well again: each copy equals the service, and each acknowledged event had one effect. */
export async function violationsAtTheEnd(world: World): Promise<readonly string[]> {
  const { operator, databases } = world
  return [
    ...(operator.left === 0 ? [] : [`${operator.left} commands never succeeded`]),
    ...(await databases.ofMirror((pool) => differencesFromService(world, pool))),
    ...(await violationsOfToday(world)),
    ...(await wrongEffects(world)),
  ]
}

async function differencesFromService(
  { accountOf, connected, service }: World,
  pool: Pool,
): Promise<readonly string[]> {
  const found: string[] = []
  for (const customer of CUSTOMERS.filter((each) => connected.has(each))) {
    const truth = await truthOf({ baseUrl: service.baseUrl, apiKey: accountOf(customer).apiKey })
    const copy = await copyOf(openMirror({ store: postgresMirror(pool), integration: customer }))
    found.push(...differences(customer, copy, truth))
    const { rows } = await pool.query('SELECT note_id, title FROM titles WHERE integration = $1', [customer])
    const titles = new Map<string, unknown>(rows.map(({ note_id, title }) => [note_id, title]))
    const trueTitles = new Map([...truth].map(([noteId, { note }]) => [noteId, note.title]))
    found.push(...differences(`the consumer of ${customer}`, titles, trueTitles))
  }
  return found
}

type Notes = ReadonlyMap<string, unknown>

function differences(whose: string, copy: Notes, truth: Notes): readonly string[] {
  const noteIds = [...new Set([...copy.keys(), ...truth.keys()])]
  return noteIds
    .filter((noteId) => !isDeepStrictEqual(copy.get(noteId), truth.get(noteId)))
    .map((noteId) => `${whose}: ${noteId} is ${textOf(copy.get(noteId))} instead of ${textOf(truth.get(noteId))}`)
}

function textOf(note: unknown): string {
  return note === undefined ? 'absent' : JSON.stringify(note).slice(0, 500)
}

async function foreignNotes(pool: Pool): Promise<readonly string[]> {
  const { rows } = await pool.query(
    "SELECT integration, note_id, title FROM notewire_live_notes WHERE left(title, length(integration) + 1) <> integration || ' '",
  )
  return rows.map(({ integration, note_id, title }) => `${integration} shows the foreign note ${note_id}, "${title}"`)
}

/** The rows of these customers in all tables of the mirror and in that of the consumer. */
async function remainsOf(customers: readonly Customer[], pool: Pool): Promise<readonly string[]> {
  const { rows: tables } = await pool.query<{ readonly name: string }>(
    `SELECT DISTINCT table_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name = 'integration' AND table_name <> 'applied'`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const select = `SELECT integration, count(*)::int AS count FROM ${name} WHERE integration = ANY ($1) GROUP BY integration`
    const { rows } = await pool.query(select, [customers])
    found.push(...rows.map(({ integration, count }) => `${count} rows of ${integration}, which has left, in ${name}`))
  }
  return found
}

async function repeatedEffects(world: World): Promise<readonly string[]> {
  return [...(await effectsOf(world))]
    .filter(([, times]) => times > 1)
    .map(([event, times]) => `the event ${event} had ${times} effects`)
}

/** The acknowledged events without an effect, and the effects of events that the service has not sent. */
async function wrongEffects(world: World): Promise<readonly string[]> {
  const effects = await effectsOf(world)
  const events = CUSTOMERS.map((customer) => eventsOf(customer, world))
  const acknowledged = new Set(events.flatMap((each) => each.acknowledged))
  const sent = new Set(events.flatMap((each) => each.sent))
  return [
    ...[...acknowledged].filter((event) => !effects.has(event)).map((event) => `the event ${event} had no effect`),
    ...[...effects.keys()].filter((event) => !sent.has(event)).map((event) => `the event ${event} was never sent`),
  ]
}

/** The events that the service has sent about the notes of a customer, and those that the application has acknowledged. */
function eventsOf(customer: Customer, { network, service, accountOf }: World) {
  const { owner_id } = accountOf(customer).owner
  const deliveries = service.deliveries.filter((each) => each.owner_id === owner_id && isNoteEventKind(each.event_type))
  const delivered = deliveries.filter(({ status }) => status === 'delivered').map(({ event_id }) => event_id)
  const textOf = (eventId: string) => `${eventId} of ${customer}`
  return {
    sent: deliveries.map(({ event_id }) => textOf(event_id)),
    acknowledged: [...delivered, ...network.acknowledgedBy(customer)].map(textOf),
  }
}

async function effectsOf({ databases }: World): Promise<ReadonlyMap<string, number>> {
  const { rows } = await databases.ofApplication((pool) =>
    pool.query('SELECT integration, event_id, count(*)::int AS times FROM effects GROUP BY integration, event_id'),
  )
  return new Map(rows.map(({ integration, event_id, times }) => [`${event_id} of ${integration}`, times]))
}
