import type { MirroredNote } from '@notewire/mirror'
import type { Transcript, TranscriptSegment } from '@notewire/protocol'
import { stringify } from 'yaml'

/**
 * Makes a page of Markdown of a note: front matter, summary, content, and the transcript with speakers and times. Summary and content are
 * Markdown and stay unchanged; title and transcript are text, in which Markdown and HTML are escaped.
 *
 * @param integration  the integration of the copy, which the front matter names unless it is the default one
 */
export function notePage(mirrored: MirroredNote, integration = DEFAULT_INTEGRATION): string {
  const { note, summary, transcript } = mirrored
  const blocks = [
    frontMatterOf(mirrored, integration),
    isBlank(note.title) ? [] : `# ${escaped(note.title)}`,
    section('Summary', summary?.markdown),
    section('Notes', note.content),
    section('Transcript', transcript === null ? null : transcriptText(transcript)),
  ].flat()
  return withoutControls(`${blocks.join('\n\n')}\n`.toWellFormed())
}

/**
 * Replaces the control characters that a terminal would execute when it shows the file. The marks that Arabic and Hebrew need for the direction
 * of text stay.
 */
function withoutControls(page: string): string {
  return page.replace(/\r(?!\n)|[\v\f\u0085]/g, '\n').replace(/[^\P{Cc}\t\n\r]/gu, '\ufffd')
}

/** The integration of files whose front matter names none. */
export const DEFAULT_INTEGRATION = 'default'

/** The front matter of a page. All texts are quoted, so that YAML 1.1 and 1.2 read them in the same way. */
function frontMatterOf({ note, isSettled }: MirroredNote, integration: string): string {
  const { note_id, revision, title, created_at, updated_at, ended_at } = note
  const { status, transcript_status, summary_status, owner } = note
  const fields = {
    note_id,
    integration: integration === DEFAULT_INTEGRATION ? undefined : integration,
    ...{ revision, title, created_at, updated_at, ended_at },
    ...{ status, transcript_status, summary_status, owner },
    // This field is written only until transcript and summary have been read.
    complete: isSettled ? undefined : false,
  }
  const yaml = stringify(fields, {
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
  if (isBlank(text)) return []
  const heading = `## ${title}`
  // The text may have this heading already.
  return text.trimStart().startsWith(heading) ? [text.trim()] : [heading, text.trim()]
}

function transcriptText({ text, segments }: Transcript): string {
  if (segments === undefined || segments === null || segments.length === 0) return escaped(text)
  return segments
    .filter((segment) => !isBlank(segment.text))
    .map(segmentText)
    .join('\n\n')
}

function segmentText({ speaker, start_ms, text }: TranscriptSegment): string {
  const who = isBlank(speaker) ? [] : [`**${escaped(speaker)}**`]
  const when = start_ms === undefined || start_ms === null ? [] : [`(${timeOf(start_ms)})`]
  return [...who, ...when, escaped(text)].join(' ')
}

/** The time since the recording began: `0:07`, `1:02:03`. */
function timeOf(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const [h, m, s] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
  const two = (number: number) => String(number).padStart(2, '0')
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`
}

/** Makes one line of a text, and escapes all markup. */
function escaped(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ')
  const inline = line.replace(/[\\`*<[\]]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
  // Lists, quotes, headings and tables have marks only at the beginning of a line.
  return inline.replace(/^([#>+=|~-])/, '\\$1').replace(/^(\d{1,9})([.)])/, '$1\\$2')
}

function isBlank(text: string | null | undefined): text is null | undefined | '' {
  return text === undefined || text === null || text.trim() === ''
}
