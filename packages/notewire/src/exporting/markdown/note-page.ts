import type { MirroredNote } from '@notewire/mirror'
import type { Transcript, TranscriptSegment } from '@notewire/protocol'
import { frontMatterOf } from './front-matter.ts'

/**
 * A note as a page of Markdown: front matter, summary, content, and the transcript with speakers and times. Summary and content are
 * Markdown as they came; title and transcript are speech, in which nothing means anything to Markdown or HTML.
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

/** Speech on one line, in which nothing is markup. */
function spoken(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ')
  const escaped = line.replace(/[\\`*<[\]]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
  // What begins a list, a quote, a heading or a table only does so at the beginning.
  return escaped.replace(/^([#>+=|~-])/, '\\$1').replace(/^(\d{1,9})([.)])/, '$1\\$2')
}

function isBlank(text: string | null | undefined): text is null | undefined | '' {
  return text === undefined || text === null || text.trim() === ''
}
