/** The latest number of an integration's sequence, or one that is greater, but not than the next. */
export const SEQUENCE_FUNCTION = `
CREATE OR REPLACE FUNCTION notewire_mirror_sequence_1(for_integration text)
RETURNS bigint LANGUAGE sql STABLE AS $function$
  SELECT coalesce(
    (SELECT sequence FROM notewire_mirror_sequences WHERE integration = for_integration),
    (SELECT sequence_limit FROM notewire_mirrors WHERE integration = for_integration),
    0)
$function$;
`
