import { postgresCodeOf } from '@notewire/webhooks/storage'
import {
  ERASE_BATCH_SIZE,
  type IntegrationCounts,
  type IntegrationRecord,
  type IntegrationRows,
  type ListedIntegration,
  MAX_COUNTED,
  MAX_WAIT_MS,
  type TakenIntegration,
} from '../../integrations/integration-store.ts'
import type { CopyState } from '../../integrations/progress.ts'
import { escapedJson, escapedText } from '../escaped-text.ts'
import { type StoredProgress, withProgress } from '../progress-json.ts'
import { mustSurvive } from '../surviving-rows.ts'
import { COPY_JSON, SERVER_TIME } from './note-columns.ts'

type Ask = (operation: string, text: string, ...values: unknown[]) => Promise<readonly unknown[]>

const UNIQUE_VIOLATION = '23505'

/** Makes the rows of integrations. Each operation is one statement. */
export function createIntegrationRows(ask: Ask): IntegrationRows {
  const one = async <Answer>(operation: string, text: string, ...values: unknown[]): Promise<Answer | undefined> => {
    const [answer] = await ask(operation, text, ...values)
    return (answer ?? undefined) as Answer | undefined
  }

  async function erase({ integration, generation, version, hints }: IntegrationRecord) {
    const values = [escapedText(integration), generation, version, hints, ERASE_BATCH_SIZE]
    return (await one<'more' | 'written' | 'conflict'>('erase', ERASE, ...values)) ?? 'conflict'
  }

  /** Writes a row unless another process has written it since it was read. */
  async function write(next: IntegrationRecord, read: IntegrationRecord | undefined) {
    const version = read === undefined ? 0 : read.version + 1
    const values = [escapedText(next.integration), escapedJson({ ...next, version })]
    if (read === undefined) return await ask('write', INSERT, ...values)
    const update = mustSurvive(next, read) ? SURVIVING_UPDATE : UPDATE
    return await ask('write', update, ...values, read.generation, read.version, read.hints)
  }

  return {
    async list({ integration, state, hasHeldRemovals = false, after, limit }) {
      const only = integration === undefined ? null : escapedText(integration)
      const values = [escapedText(after), state ?? null, limit, hasHeldRemovals, only]
      return (await ask('list', LIST, ...values)) as readonly ListedIntegration[]
    },

    async write(next, read) {
      if (next === 'deleted') {
        return read === undefined ? 'written' : await erase(read)
      }
      try {
        return (await write(next, read)).length === 0 ? 'conflict' : 'written'
      } catch (error) {
        if (postgresCodeOf(error) === UNIQUE_VIOLATION) return 'shared'
        throw error
      }
    },

    async take({ now, until, maxRank, worker, integration, isForced = false, includesSingle = false }) {
      const name = integration === undefined ? null : escapedText(integration)
      const taken = await one<Partial<StoredTaken>>(
        'take',
        TAKE,
        now,
        until,
        maxRank,
        worker,
        name,
        isForced,
        includesSingle,
      )
      return isTaken(taken) ? { ...taken, copy: withProgress(taken.copy) } : undefined
    },

    async findHinted({ now, waitingSince, integration, includesSingle = false, except }) {
      const name = integration === undefined ? null : escapedText(integration)
      const values = [waitingSince, now, name, escapedJson(except), includesSingle]
      const found = await one<StoredTaken>('findHinted', HINTED, ...values)
      return found && { ...found, copy: withProgress(found.copy) }
    },

    async count(now) {
      return (await one<IntegrationCounts>('count', COUNT, now)) as IntegrationCounts
    },
  }
}

interface StoredTaken extends Omit<TakenIntegration, 'copy'> {
  readonly copy: StoredProgress<CopyState>
}

/** The answer contains the time of the server alone if nothing was taken. */
function isTaken(answer: Partial<StoredTaken> | undefined): answer is StoredTaken {
  return answer?.record !== undefined
}

/** An item of `FROM` with which the transaction of a statement survives a crash, even if the database commits asynchronously. */
const SURVIVING = `set_config('synchronous_commit',
    CASE current_setting('synchronous_commit') WHEN 'off' THEN 'local' ELSE current_setting('synchronous_commit') END, true)`

/** Parameters: integration, record. */
const INSERT = `INSERT INTO notewire_integrations (integration, record) SELECT $1, $2::jsonb FROM ${SURVIVING}
  ON CONFLICT (integration) DO NOTHING RETURNING 'true' AS result`

/** Parameters: those of `INSERT`, and the expected generation, version and hints. */
const UPDATE = updateFrom('')
const SURVIVING_UPDATE = updateFrom(`FROM ${SURVIVING}`)

function updateFrom(from: string): string {
  return `UPDATE notewire_integrations SET record = $2 ${from}
  WHERE integration = $1 AND generation = $3 AND version = $4 AND hints = $5 RETURNING 'true' AS result`
}

const TAKE = `SELECT notewire_integrations_take_due($1, $2, $3, $4, $5, $6, $7) AS result`

/** Parameters: the time since when the hint waits, now, the integration or NULL, integrations to leave out as JSON, whether to find one of `createMirror`. */
const HINTED = `SELECT json_build_object('serverTime', ${SERVER_TIME}, 'record', asked.record, 'copy', ${COPY_JSON})::text AS result
  FROM (
    SELECT integration, record FROM notewire_integrations
      WHERE rank = 0 AND due_at <= $1 AND lease_until > $2 AND record->>'state' = 'active' AND integration = coalesce($3, integration)
        AND NOT jsonb_exists($4::jsonb, integration) AND ($5 OR record->>'isSingle' IS NULL)
      ORDER BY due_at LIMIT 1
  ) AS asked LEFT JOIN notewire_mirrors AS mirrors ON mirrors.integration = asked.integration`

const ERASE = 'SELECT to_json(notewire_integrations_erase_all($1, $2, $3, $4, $5))::text AS result'

const HELD = `notewire_mirror_notes AS notes
  WHERE notes.integration = integrations.integration AND notes.held_by_scan IS NOT NULL AND notes.presence = 'hidden'`

/** Parameters: the id before the page, state, limit, whether to list only held removals, integration. */
const LIST = `SELECT json_build_object('record', record, 'heldRemovals', (SELECT count(*) FROM ${HELD}))::text AS result
  FROM notewire_integrations AS integrations
  WHERE integration > $1 AND ($2::text IS NULL OR record->>'state' = $2) AND (NOT $4 OR EXISTS (SELECT FROM ${HELD}))
    AND (integration = $5 OR ($5 IS NULL AND record->>'isSingle' IS NULL))
  ORDER BY integration LIMIT $3`

const ADDED = `(SELECT * FROM notewire_integrations WHERE record->>'isSingle' IS NULL)`

const inState = (state: string) => `count(*) FILTER (WHERE record->>'state' = '${state}')`
const parkedFor = (reason: string) => `'${reason}', count(*) FILTER (WHERE record->>'parkedBecause' = '${reason}')`

const countedBy = (key: string, condition: string) => `(SELECT coalesce(json_object_agg(key, number), '{}') FROM (
    SELECT ${key} AS key, count(*) AS number FROM ${ADDED} AS added
      WHERE ${key} IS NOT NULL AND record->>'state' <> 'removing' ${condition}
      GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${MAX_COUNTED}) AS counted)`

const COUNT = `SELECT json_build_object(
    'active', ${inState('active')}, 'removing', ${inState('removing')},
    'parked', json_build_object(${['key_changed', 'key_shared', 'key_refused'].map(parkedFor).join(', ')}),
    'due', count(*) FILTER (WHERE next_at <= moment OR next_at > latest_due),
    'dueSince', min(next_at) FILTER (WHERE next_at <= moment),
    'nextAt', min(next_at) FILTER (WHERE next_at > moment AND next_at <= latest_due),
    'backingOff', count(*) FILTER (WHERE record->>'state' = 'active' AND (record->>'failures')::integer > 0),
    'contradictions', (SELECT count(*) FROM notewire_mirror_notes AS notes WHERE notes.contradicted_since IS NOT NULL
      AND EXISTS (SELECT FROM ${ADDED} AS added WHERE added.integration = notes.integration)),
    'heldRemovals', (SELECT count(DISTINCT notes.integration) FROM notewire_mirror_notes AS notes
      WHERE notes.held_by_scan IS NOT NULL AND notes.presence = 'hidden'
        AND EXISTS (SELECT FROM ${ADDED} AS added WHERE added.integration = notes.integration)),
    'problems', ${countedBy("record->'problem'->>'code'", '')},
    'endpoints', ${countedBy("record->'endpoint'->>'status'", "AND record->'endpoint'->>'status' <> 'active'")},
    'oldestSyncedAt', min((record->>'syncedAt')::float8) FILTER (WHERE record->>'state' <> 'removing'))::text AS result
  FROM (SELECT $1::float8 AS moment, $1::float8 + ${MAX_WAIT_MS} AS latest_due) AS asked LEFT JOIN LATERAL (
    SELECT record, CASE WHEN lease_until > moment THEN greatest(due_at, lease_until) ELSE due_at END AS next_at
      FROM ${ADDED} AS added
  ) AS integrations ON true`
