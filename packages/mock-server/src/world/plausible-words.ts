import type { SeededRandom } from '../seed/seeded-random.ts'
import type { SpokenLine } from './note.ts'

const SPEAKERS = 'Amara Bjorn Chiara Dmitri Esi Farid Grace Hiro Ines Jonas'.split(' ')
const OCCASIONS = 'Stand-up Planning Review Retrospective Interview Workshop Call Briefing'.split(' ')
const SUBJECTS =
  'checkout redesign,data migration,hiring plan,mobile release,onboarding flow,pricing page,quarterly budget,search relevance,support backlog,warehouse move'.split(
    ',',
  )
const REMARKS = [
  'Let us look at the {subject} first, the customers wait for it.',
  'The numbers for the {subject} came in yesterday and they look better than we feared.',
  'I would rather ship a smaller {subject} now than a complete one in spring.',
  'Who has talked to the customers about the {subject}?',
  'We agreed on two weeks for the {subject}, and one of them is over.',
  'There is one risk in the {subject} that is not written down yet.',
  'Can we move the decision on the {subject} to Thursday?',
  'I tried the {subject} on a slow connection, and it still works.',
]
const REPLIES = [
  'Agreed, I will write that down.',
  'That is not how I remember it.',
  'Give me until tomorrow to check.',
  'Yes, and we should tell the others today.',
  'Then it needs an owner. I can do it.',
  'Fine by me, as long as we measure it.',
]

export function plausibleTitle(random: SeededRandom): string {
  return `${random.pick(OCCASIONS)}: ${random.pick(SUBJECTS)}`
}

export function plausibleContent(random: SeededRandom): string {
  return `Ask ${random.pick(SPEAKERS)} about the ${random.pick(SUBJECTS)}.`
}

export function plausibleConversation(random: SeededRandom): readonly SpokenLine[] {
  const subject = random.pick(SUBJECTS)
  const first = random.integer(0, SPEAKERS.length - 1)
  const speakers = random.integer(2, 4)
  return Array.from({ length: random.integer(4, 14) }, (_, turn) => ({
    speaker: SPEAKERS[(first + (turn % speakers)) % SPEAKERS.length] ?? null,
    text: turn % 2 === 0 ? random.pick(REMARKS).replace('{subject}', subject) : random.pick(REPLIES),
  }))
}

export function plausibleSummary(random: SeededRandom, lines: readonly SpokenLine[]): string {
  const speakers = [...new Set(lines.flatMap(({ speaker }) => speaker ?? []))]
  const [opening] = lines
  return [
    '## Summary',
    '',
    `${speakers.length === 0 ? 'An unknown speaker' : speakers.join(', ')} spoke. ${opening?.text ?? 'Nothing was said.'}`,
    '',
    '### Next steps',
    '',
    `- ${random.pick(SPEAKERS)} follows up on the ${random.pick(SUBJECTS)}.`,
    `- Meet again in ${random.integer(2, 10)} days.`,
    '',
  ].join('\n')
}
