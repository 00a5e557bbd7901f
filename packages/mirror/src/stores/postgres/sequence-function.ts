/** The latest number of a scope's sequence, or one that is greater, but not than the next. */
export const SEQUENCE_FUNCTION = `
CREATE OR REPLACE FUNCTION notewire_mirror_sequence_1(for_scope text)
RETURNS bigint LANGUAGE sql STABLE AS $function$
  SELECT coalesce(
    (SELECT sequence FROM notewire_mirror_sequences WHERE scope = for_scope),
    (SELECT sequence_limit FROM notewire_mirrors WHERE scope = for_scope),
    0)
$function$;
`
