/**
 * The statement in a text that would begin or end a transaction, such as `COMMIT`; `undefined` if there is none.
 *
 * It reads the text once, as PostgreSQL splits it: comments, literals, quoted names and function bodies are skipped. What it does not
 * recognise is found by the savepoint of the transaction.
 */
export function transactionStatementIn(text: string): string | undefined {
  let place = 0
  while (place < text.length) {
    const found = keywordAt(text, place)
    // Most texts are one statement, which need not be read to its end.
    if (found !== undefined || !text.includes(';', place)) return found
    place = endOfStatement(text, place)
  }
  return undefined
}

const BEGIN_OR_END: ReadonlySet<string> = new Set(['BEGIN', 'COMMIT', 'END', 'ABORT'])

/** The statement that begins at a place, if it begins or ends a transaction. */
function keywordAt(text: string, place: number): string | undefined {
  const first = nextWord(text, place)
  if (BEGIN_OR_END.has(first.word)) return first.word
  if (first.word !== 'ROLLBACK' && first.word !== 'START' && first.word !== 'PREPARE') return undefined
  const second = nextWord(text, first.end)
  if (first.word !== 'ROLLBACK') return second.word === 'TRANSACTION' ? `${first.word} TRANSACTION` : undefined
  const isOptional = second.word === 'WORK' || second.word === 'TRANSACTION'
  const after = isOptional ? nextWord(text, second.end) : second
  return after.word === 'TO' ? undefined : 'ROLLBACK'
}

interface Word {
  /** In upper case. Empty if something else stands there. */
  readonly word: string
  readonly end: number
}

const WORD = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y
const SPACE = /[ \t\n\r\f\v]+/y

function nextWord(text: string, place: number): Word {
  return wordAt(text, afterSpace(text, place))
}

function wordAt(text: string, place: number): Word {
  const end = endOf(WORD, text, place) ?? place
  return { word: text.slice(place, end).toUpperCase(), end }
}

/** The place after spaces, comments and empty statements. */
function afterSpace(text: string, start: number): number {
  let place = start
  for (;;) {
    const next = endOf(SPACE, text, place) ?? endOfComment(text, place) ?? (text[place] === ';' ? place + 1 : place)
    if (next === place) return place
    place = next
  }
}

/** The place after the semicolon of the statement that begins at a place, or the end of the text. */
function endOfStatement(text: string, start: number): number {
  const nesting = new Nesting()
  let place = afterSpace(text, start)
  while (place < text.length) {
    const { word, end } = wordAt(text, place)
    if (word !== '') {
      nesting.addWord(word)
      place = endOfPrefixedLiteral(text, word, end) ?? end
      continue
    }
    if (text[place] === ';' && nesting.isOutside) return place + 1
    nesting.addCharacter(text[place])
    place = endOfComment(text, place) ?? endOfLiteral(text, place) ?? place + 1
  }
  return place
}

/** A semicolon does not end a statement in parentheses, or in the body of a function in SQL: `BEGIN ATOMIC … END`, in which CASE has an END. */
class Nesting {
  #parentheses = 0
  #bodies = 0
  #last = ''

  get isOutside(): boolean {
    return this.#parentheses <= 0 && this.#bodies === 0
  }

  addWord(word: string): void {
    const isBody = word === 'ATOMIC' && this.#last === 'BEGIN'
    if (isBody || (word === 'CASE' && this.#bodies > 0)) this.#bodies += 1
    if (word === 'END' && this.#bodies > 0) this.#bodies -= 1
    this.#last = word
  }

  addCharacter(character: string | undefined): void {
    if (character === '(') this.#parentheses += 1
    if (character === ')') this.#parentheses -= 1
  }
}

/** In `E'…'`, a backslash escapes the character after it. */
function endOfPrefixedLiteral(text: string, word: string, place: number): number | undefined {
  if (word !== 'E' || text[place] !== "'") return undefined
  let end = place
  do {
    end += 1
    while (end < text.length && text[end] !== "'") end += text[end] === '\\' ? 2 : 1
    end += 1
    // A doubled apostrophe does not end the literal.
  } while (text[end] === "'")
  return end
}

function endOfLiteral(text: string, place: number): number | undefined {
  const character = text[place]
  if (character === "'" || character === '"') return endAfter(text, character, place + 1)
  if (character !== '$') return undefined
  // A body between dollars, such as `$body$ … $body$`.
  const end = endOf(DOLLARS, text, place)
  return end === undefined ? undefined : endAfter(text, text.slice(place, end), end)
}

const DOLLARS = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y

function endOfComment(text: string, place: number): number | undefined {
  if (text.startsWith('--', place)) return endAfter(text, '\n', place)
  if (!text.startsWith('/*', place)) return undefined
  let end = place
  let depth = 0
  do {
    const isOpening = text.startsWith('/*', end)
    const isClosing = text.startsWith('*/', end)
    if (isOpening) depth += 1
    if (isClosing) depth -= 1
    end += isOpening || isClosing ? 2 : 1
  } while (depth > 0 && end < text.length)
  return end
}

function endAfter(text: string, mark: string, place: number): number {
  const found = text.indexOf(mark, place)
  return found === -1 ? text.length : found + mark.length
}

function endOf(expression: RegExp, text: string, place: number): number | undefined {
  expression.lastIndex = place
  return expression.test(text) ? expression.lastIndex : undefined
}
