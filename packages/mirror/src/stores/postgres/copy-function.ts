import { raw } from 'sql-template-tag'
import { copyState } from '../sql/copy-state.ts'
import { BY_INDEX } from './by-index.ts'
import { dialect } from './dialect.ts'

/**
 * Reads the state of a copy. In the same statement that takes an integration, a function still sees what was committed after the statement began: all
 * that the worker before has written.
 */
export const COPY_FUNCTION = `
CREATE OR REPLACE FUNCTION notewire_mirror_copy(for_integration text)
RETURNS json LANGUAGE plpgsql ${BY_INDEX} AS $function$
BEGIN
  RETURN ${copyState(raw('for_integration'), dialect).sql};
END
$function$;
`
