/** A fenced block of code in a Markdown file, or in a docstring of a source file. */
export interface CodeBlock {
  /** The path of its file, from the root of the workspace. */
  readonly file: string
  /** The line of the file where the code starts, from 1. */
  readonly line: number
  readonly language: string
  readonly code: string
}

const FENCED_BLOCK = /^[ ]*```(?<language>\S*)[^\n]*\n(?<code>.*?)^[ ]*```[ ]*$/gms
const DOCSTRING = /^[ ]*\/\*\*\n.*?\*\//gms
const DOCSTRING_MARGIN = /^[ ]*(?:\/\*\*|\*\/|\*[ ]?)/gm

/** The code blocks of a Markdown text. */
export function blocksOfMarkdown(file: string, text: string): CodeBlock[] {
  return [...text.matchAll(FENCED_BLOCK)].map((match) => ({
    file,
    line: lineOf(text, match.index) + 1,
    language: match.groups?.['language'] ?? '',
    code: match.groups?.['code'] ?? '',
  }))
}

/** The code blocks in the docstrings of a TypeScript source. */
export function blocksOfDocstrings(file: string, text: string): CodeBlock[] {
  return [...text.matchAll(DOCSTRING)].flatMap(({ 0: docstring, index }) =>
    blocksOfMarkdown(file, docstring.replaceAll(DOCSTRING_MARGIN, '')).map((block) => ({
      ...block,
      line: block.line + lineOf(text, index) - 1,
    })),
  )
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}
