import type { DefaultTheme, MarkdownEnv, MarkdownRenderer } from 'vitepress'

/** A part of a page in the index of the search: a heading, and the text below it. */
interface Section {
  /** The anchor of the heading. The box of results reads the excerpt below it from the page. */
  readonly anchor: string
  /** The heading, after the headings that contain it. */
  readonly titles: string[]
  readonly text: string
}

/**
 * The search of the site. A page is also found by the `keywords` in its front matter. They belong to its first section that has text, so
 * that every result has an anchor and an excerpt.
 */
export const SEARCH: DefaultTheme.LocalSearchOptions = {
  _render: renderWithKeywords,
  detailedView: true,
  miniSearch: {
    _splitIntoSections: (_file, html) => sectionsOf(html),
    options: indexOptions(),
    searchOptions: {
      fuzzy: 0.1,
      bm25: { k: 1.2, b: 0.3, d: 0.5 },
      boost: { title: 3, text: 2, titles: 1, keywords: 9 },
      boostDocument: guidesFirst,
    },
  },
}

/** VitePress passes all options to MiniSearch, but its type has no `fields`. */
function indexOptions() {
  return {
    fields: ['title', 'titles', 'text', 'keywords'],
    extractField: fieldOf,
    tokenize: wordsOf,
    processTerm: stemOf,
  }
}

/** Renders a page for the index of the search. The keywords precede the page, in an element that `sectionsOf` reads. */
function renderWithKeywords(
  source: string,
  environment: MarkdownEnv,
  markdown: Pick<MarkdownRenderer, 'render'>,
): string {
  const html = markdown.render(source, environment)
  const keywords: unknown = environment.frontmatter?.['keywords']
  return typeof keywords === 'string' ? `<meta content="${keywords}">${html}` : html
}

const KEYWORDS = /^<meta content="(?<keywords>[^"]*)">/
const HEADING =
  /<h(?<level>[1-6])[^>]*>(?<title>(?:(?!<h[1-6]).)*?)<a [^>]*href="#(?<anchor>[^"]+)"[^>]*>[^<]*<\/a><\/h\k<level>>/gs

/** Splits a page at its headings. A heading without text below it has no excerpt, so it only names the sections that it contains. */
function sectionsOf(html: string): Section[] {
  const keywords = KEYWORDS.exec(html)?.groups?.['keywords']
  const headings = [...html.matchAll(HEADING)]
  const above: string[] = []
  const sections = headings.map(({ 0: heading, index, groups }, number) => {
    const level = Number(groups?.['level'])
    above.length = Math.min(above.length, level - 1)
    above[level - 1] = textOf(groups?.['title'] ?? '')
    const text = textOf(html.slice(index + heading.length, headings[number + 1]?.index))
    return { anchor: groups?.['anchor'] ?? '', titles: above.filter(Boolean), text }
  })
  const [first, ...others] = sections.filter(({ text }) => text !== '')
  return first === undefined ? [] : [{ ...first, text: `${first.text}\0${keywords ?? ''}` }, ...others]
}

function textOf(html: string): string {
  return html.replace(/<[^>]*>/g, '').trim()
}

// VitePress sends the source of the functions below to the browser, so they must not use other parts of this file.

/** VitePress passes only `titles` and `text` of a section to the index, so its keywords follow its text after a NUL character. */
function fieldOf(section: { readonly [field: string]: string | undefined }, field: string): string {
  const [text = '', keywords = ''] = (section['text'] ?? '').split('\0')
  if (field === 'keywords') return keywords
  return field === 'text' ? text : (section[field] ?? '')
}

/** An error code is a word, and so are its parts. The whole code begins with an underscore, so that it is not found by its first letters. */
function wordsOf(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}_]+/gu) ?? []
  return words.flatMap((word) => (word.includes('_') ? [`_${word}`, ...word.split('_').filter(Boolean)] : [word]))
}

/** Words are compared without their endings. Words that are in most questions, such as "how", are ignored. */
function stemOf(word: string): string | null {
  const term = word.toLowerCase()
  const ignored =
    /^(an?|and|are|as|at|be|by|can|do|does|for|from|has|have|how|i|if|in|into|is|it|its|me|my|of|on|or|our|should|so|that|the|there|this|to|was|we|what|when|where|which|who|why|will|with|you|your)$/
  if (ignored.test(term)) return null
  if (/.{4}ing$/.test(term)) return term.slice(0, -3)
  if (/.{2}ies$/.test(term)) return `${term.slice(0, -3)}y`
  return /.{2}[^isu]s$/.test(term) ? term.slice(0, -1) : term
}

function guidesFirst(id: string, term: string): number {
  // A whole error code is worth more than all its parts.
  const worth = term.startsWith('_') ? 4 : 1
  if (/reference|decisions/.test(id)) return 0.2 * worth
  // The errors have entries that share most of their words; the symptoms are before them.
  if (/troubleshooting\.html#(?!troubleshooting|symptoms)/.test(id)) return 0.6 * worth
  if (/tutorial|quickstart/.test(id)) return 1.1 * worth
  return (/glossary|benchmarks|architecture|what-may-differ/.test(id) ? 0.5 : 1) * worth
}
