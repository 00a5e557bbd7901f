/** What the libraries say to programmers, and what it is to whoever types. */
const WORDS: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/\bmirror\.acceptRemovals\('[^']*'\)/g, 'notewire pull --accept-removals'],
  [/\bwebhookEndpoints\.list\(\)/g, 'notewire endpoints list'],
  [/\brotateSecret\(\)/g, 'notewire endpoints rotate'],
  [/\bthe option notesField\b/g, '--notes-field'],
  // In quotes, they are fields of the configuration file.
  [/(?<!")\bnotesField\b/g, '--notes-field'],
  [/(?<!")\bbaseUrl\b/g, 'the base URL'],
  [/(?<!")\bapiKey\b/g, 'the API key'],
  // Some commands go on by themselves, and the exit code says it of the others.
  [/, then call again\b/g, ''],
  [/^after is\b/g, '--after is'],
  [/\bleave after out\b/g, 'leave --after out'],
]

/** A sentence of the libraries in words that fit the command line. */
export function inWordsOfTheProgram(sentence: string): string {
  return WORDS.reduce((text, [pattern, words]) => text.replace(pattern, words), sentence)
}
