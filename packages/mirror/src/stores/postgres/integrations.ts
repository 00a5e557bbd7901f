import {
  dueAfterHint,
  type IntegrationCounts,
  type IntegrationRecord,
  type IntegrationStore,
  type ListedIntegration,
  MAX_WAIT_MS,
} from '../../interfaces/integration-store.ts'
import { escapedText } from '../escaped-text.ts'
import { type CopyAnswer, copyState } from './answers.ts'
import { escapedJson } from './escaped-json.ts'
import { aheadOf, integrationJson } from './integration-functions.ts'
import { timeIn } from './note-columns.ts'

/** Result of `notewire_integrations_take_2`. */
interface TakeAnswer {
  readonly record: IntegrationRecord
  readonly copy: CopyAnswer
}

type Ask = (operation: string, text: string, ...values: unknown[]) => Promise<readonly unknown[]>

/** Makes the store of integrations. Each operation is one statement. */
export function createIntegrationStore(ask: Ask): IntegrationStore {
  const one = async <Answer>(operation: string, text: string, ...values: unknown[]): Promise<Answer | undefined> => {
    const [answer] = await ask(operation, text, ...values)
    return (answer ?? undefined) as Answer | undefined
  }

  return {
    async put(integration, generation, now, delayMs = 0) {
      const name = escapedText(integration)
      const put = await one<IntegrationRecord>('put', PUT, name, generation, now, delayMs)
      return put ?? ((await one<IntegrationRecord>('get', GET, name, null)) as IntegrationRecord)
    },

    get: (integration, now) => one('get', GET, escapedText(integration), now ?? null),

    async take({ now, until, most, integration }) {
      const name = integration === undefined ? null : escapedText(integration)
      const taken = await one<TakeAnswer>('take', TAKE, now, until, most, name)
      if (taken === undefined) return undefined
      return { record: taken.record, copy: copyState(taken.copy) }
    },

    async renew(integration, { generation, token }, { now, until }) {
      return (await one('renew', RENEW, now, until - now, escapedText(integration), generation, token)) !== undefined
    },

    async finish(integration, { generation, token }, next, { hints, now }) {
      const values = [generation, token, escapedJson(next), hints, dueAfterHint(next, now), now]
      return (await one<boolean>('finish', FINISH, escapedText(integration), ...values)) === true
    },

    async wake(integration, now) {
      await ask('wake', WAKE, now, escapedText(integration))
    },

    async claimKey(integration, { generation, token }, print) {
      const name = escapedText(integration)
      return (await one<'claimed' | 'shared' | 'fenced'>('claimKey', CLAIM, name, generation, token, print)) ?? 'fenced'
    },

    async resume(integration, now) {
      return (await one('resume', RESUME, now, escapedText(integration))) !== undefined
    },

    async remove(integration, generation, now) {
      const name = escapedText(integration)
      if ((await one('remove', REMOVE, generation, now, name)) !== undefined) return true
      return (await one('get', GET, name, null)) !== undefined
    },

    async listConsumers(integration) {
      return (await ask('listConsumers', LIST_CONSUMERS, escapedText(integration))) as readonly string[]
    },

    async erase(integration, { generation, token }, limit) {
      const name = escapedText(integration)
      return (await one<'more' | 'done' | 'fenced'>('erase', ERASE, name, generation, token, limit)) ?? 'fenced'
    },

    async list({ state, hasHeldRemovals = false, after, limit }) {
      const values = [escapedText(after), state ?? null, limit, hasHeldRemovals]
      return (await ask('list', LIST, ...values)) as readonly ListedIntegration[]
    },

    async count(now) {
      return (await one<IntegrationCounts>('count', COUNT, now)) as IntegrationCounts
    },
  }
}

const RECORD = `${integrationJson('integrations')} AS result`

/** SQL for the present of the server, and for how much its clock is ahead of the caller's. Parameter: the time of the caller. */
const NOW = 'notewire_integrations_now_1($1)'
const AHEAD = aheadOf('$1::float8')

const GET = `SELECT ${integrationJson('integrations', aheadOf('$2::float8'))} AS result
  FROM notewire_integrations AS integrations WHERE integration = $1`

const PUT = `INSERT INTO notewire_integrations AS integrations (integration, generation, state, due_at, rank, hints, token, is_held, failures)
  VALUES ($1, $2, 'active', notewire_integrations_now_1($3) + $4 * interval '1 millisecond', 2, 0, 0, false, 0)
  ON CONFLICT (integration) DO UPDATE SET generation = excluded.generation, state = 'active', due_at = excluded.due_at, rank = 2,
      is_held = false, paused_until = NULL
    WHERE integrations.state = 'removing' AND integrations.paused_until IS NOT NULL
  RETURNING ${RECORD}`

const TAKE = `SELECT result FROM notewire_integrations_take_2($1, $2, $3, $4) AS result WHERE result IS NOT NULL`

const RENEW = `UPDATE notewire_integrations SET due_at = ${NOW} + $2 * interval '1 millisecond'
  WHERE integration = $3 AND generation = $4 AND token = $5 RETURNING 'true' AS result`

const FINISH = 'SELECT notewire_integrations_finish_1($1, $2, $3, $4, $5, $6, $7)::text AS result'

const WAKE = `UPDATE notewire_integrations SET hints = hints + 1, failures = 0, paused_until = NULL,
    due_at = CASE WHEN is_held THEN due_at ELSE least(due_at, ${NOW}) END
  WHERE integration = $2 AND state = 'active' RETURNING 'true' AS result`

const CLAIM = 'SELECT to_json(notewire_integrations_claim_1($1, $2, $3, $4))::text AS result'

const RESUME = `UPDATE notewire_integrations SET state = 'active', parked_because = NULL, due_at = ${NOW},
    failures = 0, paused_until = NULL, token = token + 1, is_held = false
  WHERE integration = $2 AND state = 'parked' RETURNING 'true' AS result`

const REMOVE = `UPDATE notewire_integrations SET generation = $1, state = 'removing', parked_because = NULL,
    due_at = notewire_integrations_now_1($2), rank = 2, hints = 0, is_held = false, failures = 0, paused_until = NULL, key_print = NULL,
    poll_every_ms = NULL, endpoint = NULL
  WHERE integration = $3 AND state <> 'removing' RETURNING 'true' AS result`

const LIST_CONSUMERS =
  'SELECT to_json(name)::text AS result FROM notewire_mirror_consumers WHERE integration = $1 ORDER BY name'

const ERASE = 'SELECT to_json(notewire_integrations_erase_1($1, $2, $3, $4))::text AS result'

const HELD = `notewire_mirror_notes AS notes
  WHERE notes.integration = integrations.integration AND notes.held_by_scan IS NOT NULL AND notes.presence = 'hidden'`

const LIST = `SELECT json_build_object(
    'record', ${integrationJson('integrations')}::json, 'heldRemovals', (SELECT count(*) FROM ${HELD}))::text AS result
  FROM notewire_integrations AS integrations
  WHERE integration > $1 AND state = coalesce($2, state) AND (NOT $4 OR EXISTS (SELECT FROM ${HELD})) ORDER BY integration LIMIT $3`

const COUNT = `SELECT json_build_object(
    'active', count(*) FILTER (WHERE state = 'active'),
    'removing', count(*) FILTER (WHERE state = 'removing'),
    'parked', json_build_object(
      'key_changed', count(*) FILTER (WHERE parked_because = 'key_changed'),
      'key_shared', count(*) FILTER (WHERE parked_because = 'key_shared'),
      'key_refused', count(*) FILTER (WHERE parked_because = 'key_refused')),
    'due', count(*) FILTER (WHERE due_at <= moment OR due_at > latest_due),
    'dueSince', ${timeIn('min(due_at) FILTER (WHERE due_at <= moment)')} - max(ahead),
    'nextAt', ${timeIn('min(due_at) FILTER (WHERE due_at > moment AND due_at <= latest_due)')} - max(ahead),
    'backingOff', count(*) FILTER (WHERE state = 'active' AND failures > 0),
    'contradictions', (SELECT count(*) FROM notewire_mirror_notes AS notes WHERE notes.contradicted_since IS NOT NULL
      AND EXISTS (SELECT FROM notewire_integrations AS added WHERE added.integration = notes.integration)),
    'heldRemovals', (SELECT count(DISTINCT notes.integration) FROM notewire_mirror_notes AS notes
      WHERE notes.held_by_scan IS NOT NULL AND notes.presence = 'hidden'
        AND EXISTS (SELECT FROM notewire_integrations AS added WHERE added.integration = notes.integration)))::text AS result
  FROM (
    SELECT ahead, moment, moment + ${MAX_WAIT_MS} * interval '1 millisecond' AS latest_due
      FROM (SELECT ahead, to_timestamp(($1::float8 + ahead) / 1000) AS moment FROM (SELECT ${AHEAD} AS ahead) AS clocks) AS present
  ) AS asked LEFT JOIN notewire_integrations ON true`
