import type { MirroredNote } from '@notewire/mirror'
import type { Transcript, TranscriptSegment } from '@notewire/protocol'
import { stringify } from 'yaml'

/**
 * Makes a page of Markdown of a note: front matter, summary, content, and the transcript with speakers and times. Summary and content are
 * Markdown and stay unchanged; title and transcript are text, in which Markdown and HTML are escaped.
 */
export function notePage(mirrored: MirroredNote): string {
  const { note, summary, transcript } = mirrored
  const blocks = [
    frontMatterOf(mirrored),
    isBlank(note.title) ? [] : `# ${spoken(note.title)}`,
    section('Summary', summary?.markdown),
    section('Notes', note.content),
    section('Transcript', transcript === null ? null : transcriptText(transcript)),
  ].flat()
  return `${blocks.join('\n\n')}\n`.toWellFormed().replaceAll('\0', '\ufffd')
}

/** The front matter of a page. All texts are in quotes, so that YAML 1.1 and 1.2 read them alike. */
function frontMatterOf({ note, isSettled }: MirroredNote): string {
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
    // Written only while transcript or summary are still to be read.
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

/** Escapes the characters that JSON allows and YAML does not. They occur in quotes only. */
function escapeUnprintable(yaml: string): string {
  return yaml.replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function section(title: string, text: string | null | undefined): readonly string[] {
  return isBlank(text) ? [] : [`## ${title}`, text.trim()]
}

function transcriptText({ text, segments }: Transcript): string {
  if (segments === undefined || segments === null || segments.length === 0) return spoken(text)
  return segments
    .filter((segment) => !isBlank(segment.text))
    .map(segmentText)
    .join('\n\n')
}

function segmentText({ speaker, start_ms, text }: TranscriptSegment): string {
  const who = isBlank(speaker) ? [] : [`**${spoken(speaker)}**`]
  const when = start_ms === undefined || start_ms === null ? [] : [`(${timeOf(start_ms)})`]
  return [...who, ...when, spoken(text)].join(' ')
}

/** Minutes and seconds since the recording began, and hours once there are any: `0:07`, `1:02:03`. */
function timeOf(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const [h, m, s] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
  const two = (number: number) => String(number).padStart(2, '0')
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`
}

/** Text on one line, with all markup escaped. */
function spoken(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ')
  const escaped = line.replace(/[\\`*<[\]]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
  // Lists, quotes, headings and tables are marked at the beginning of the line only.
  return escaped.replace(/^([#>+=|~-])/, '\\$1').replace(/^(\d{1,9})([.)])/, '$1\\$2')
}

function isBlank(text: string | null | undefined): text is null | undefined | '' {
  return text === undefined || text === null || text.trim() === ''
}
