import { MAX_INDEXED } from '../indexed-text.ts'

const MAX_WORD_BYTES = 2_046

/** Joins the words of a search, without characters that PostgreSQL cannot store; `undefined` if a word is too long to be in any note. */
export function searchableText(words: readonly string[]): string | undefined {
  if (words.some((word) => new TextEncoder().encode(word).length > MAX_WORD_BYTES)) return undefined
  return words.join(' ').replaceAll(/[\0\p{Surrogate}]/gu, ' ')
}

/**
 * The words of a note, and the words of a search, in the 'simple' configuration: all words, not stemmed, in lower case.
 *
 * Tags, paths, addresses and names with underscores are split into words, so that each of them is found. Long runs without a space are
 * split, because PostgreSQL's parser takes quadratic time: hours for a megabyte of `~/~/~/` or `<!--<!--`.
 */
// No plain string contains a backslash, which some databases treat as an escape (standard_conforming_strings).
// If the locale of the database folds only English letters, `lower` uses an ICU locale. PostgreSQL indexes up to a megabyte of different
// words of a note: the text is shortened until its words fit.
export const SEARCH_FUNCTIONS = `
CREATE OR REPLACE FUNCTION notewire_mirror_plain(said text)
RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $function$
BEGIN
  -- What the store's JSON writes for NUL and halves of pairs is no word.
  IF strpos(said, chr(26)) > 0 THEN
    said := regexp_replace(said, chr(26) || '[0-9a-f]{4}', ' ', 'g');
  END IF;
  said := translate(said, '<~/@_', '     ');
  -- A regular expression that splits long runs takes seconds for a megabyte of them.
  IF said ~ E'\\\\S{255}' THEN
    said := (
      SELECT string_agg(substr(block, piece, 255), ' ' ORDER BY place, start, piece)
        FROM regexp_split_to_table(said, E'\\\\s') WITH ORDINALITY AS runs (run, place),
          generate_series(1, length(run), 16320) AS start,
          substr(run, start, 16320) AS block,
          generate_series(1, length(block), 255) AS piece);
  END IF;
  IF lower('\u00c4') = '\u00e4' THEN
    RETURN lower(said);
  END IF;
  BEGIN
    RETURN lower(said COLLATE "und-x-icu");
  EXCEPTION WHEN undefined_object OR feature_not_supported THEN
    RETURN lower(said);
  END;
END
$function$;

CREATE OR REPLACE FUNCTION notewire_mirror_words(title text, summary text, content text, transcript text)
RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $function$
DECLARE
  longest integer := 300000000;
BEGIN
  title := coalesce(notewire_mirror_plain(left(title, ${MAX_INDEXED})), '');
  summary := coalesce(notewire_mirror_plain(left(summary, ${MAX_INDEXED})), '');
  content := coalesce(notewire_mirror_plain(left(content, ${MAX_INDEXED})), '');
  transcript := coalesce(notewire_mirror_plain(left(transcript, ${MAX_INDEXED})), '');
  LOOP
    BEGIN
      RETURN setweight(to_tsvector('simple', left(title, longest)), 'A')
        || setweight(to_tsvector('simple', left(summary, longest)), 'B')
        || setweight(to_tsvector('simple', left(content, longest)), 'C')
        || setweight(to_tsvector('simple', left(transcript, longest)), 'D');
    EXCEPTION WHEN program_limit_exceeded THEN
      longest := least(longest, length(title || summary || content || transcript)) / 2;
    END;
  END LOOP;
END
$function$;

CREATE OR REPLACE FUNCTION notewire_mirror_query(words text)
RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $function$
  SELECT plainto_tsquery('simple', notewire_mirror_plain(words))
$function$;
`
