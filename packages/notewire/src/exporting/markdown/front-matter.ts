import type { MirroredNote } from '@notewire/mirror'
import { stringify } from 'yaml'

/** What a page says of its note to programs: YAML that every version of YAML reads alike, since all texts are in quotes. */
export function frontMatterOf({ note, isSettled }: MirroredNote): string {
  const {
    note_id,
    revision,
    title,
    created_at,
    updated_at,
    ended_at,
    status,
    transcript_status,
    summary_status,
    owner,
  } = note
  const facts = {
    note_id,
    revision,
    title,
    created_at,
    updated_at,
    ended_at,
    status,
    transcript_status,
    summary_status,
    owner,
    // Said only where it is news: transcript or summary are still to be read.
    complete: isSettled ? undefined : false,
  }
  const yaml = stringify(facts, {
    defaultKeyType: 'PLAIN',
    defaultStringType: 'QUOTE_DOUBLE',
    doubleQuotedAsJSON: true,
    lineWidth: 0,
  })
  return `---\n${escapeUnprintable(yaml)}---`
}

/** JSON lets characters through that YAML does not. They stand in quotes alone. */
function escapeUnprintable(yaml: string): string {
  return yaml.replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
