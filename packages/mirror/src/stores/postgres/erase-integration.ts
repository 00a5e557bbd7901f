import { ERASE_BATCH_SIZE, type IntegrationRecord } from '../../integrations/integration-store.ts'
import { escapedText } from '../escaped-text.ts'
import type { Ask } from './timed-database.ts'

/** Erases a part of an integration's notes, and the integration with the last of them, unless it was written since it was read. */
export async function eraseIntegration(
  ask: Ask,
  { integration, generation, version, hints }: IntegrationRecord,
): Promise<'more' | 'written' | 'conflict'> {
  const [outcome = 'conflict'] = await ask<'more' | 'written' | 'conflict'>(
    'erase',
    ERASE,
    escapedText(integration),
    generation,
    version,
    hints,
    ERASE_BATCH_SIZE,
  )
  return outcome
}

const ERASE = 'SELECT to_json(notewire_integrations_erase_all($1, $2, $3, $4, $5))::text AS result'

/** `notewire_integrations_erase_all` locks the notes first and the integration last, in the same order as commits. */
export const ERASE_FUNCTION = `
CREATE OR REPLACE FUNCTION notewire_integrations_erase_all(
  for_integration text, known_generation text, known_version bigint, known_hints bigint, at_most bigint
) RETURNS text LANGUAGE plpgsql SET lock_timeout = '10s' AS $function$
#variable_conflict use_variable
DECLARE
  erased text[];
  is_empty boolean;
BEGIN
  erased := ARRAY(
    SELECT notes.note_id FROM notewire_mirror_notes AS notes WHERE notes.integration = for_integration
      ORDER BY notes.note_id LIMIT at_most FOR UPDATE);
  DELETE FROM notewire_mirror_content AS content WHERE content.integration = for_integration AND content.note_id = ANY (erased);
  DELETE FROM notewire_mirror_notes AS notes WHERE notes.integration = for_integration AND notes.note_id = ANY (erased);
  is_empty := cardinality(erased) < at_most;
  IF is_empty THEN
    DELETE FROM notewire_mirror_consumer_notes AS consumed WHERE consumed.integration = for_integration;
    DELETE FROM notewire_mirror_consumers AS consumers WHERE consumers.integration = for_integration;
    DELETE FROM notewire_mirror_sequences AS sequences WHERE sequences.integration = for_integration;
    DELETE FROM notewire_mirrors AS mirrors WHERE mirrors.integration = for_integration;
    DELETE FROM notewire_mirror_runs AS runs WHERE runs.integration = for_integration;
  END IF;
  PERFORM FROM notewire_integrations AS integrations WHERE integrations.integration = for_integration
    AND integrations.generation = known_generation AND integrations.version = known_version AND integrations.hints = known_hints
    FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION SQLSTATE 'NW002';
  END IF;
  IF is_empty THEN
    DELETE FROM notewire_integrations AS integrations WHERE integrations.integration = for_integration;
  END IF;
  RETURN CASE WHEN is_empty THEN 'written' ELSE 'more' END;
EXCEPTION WHEN SQLSTATE 'NW002' THEN
  RETURN 'conflict';
END
$function$;
`
