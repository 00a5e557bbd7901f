import type { DefaultTheme, MarkdownEnv, MarkdownRenderer } from 'vitepress'

/** The search of the site. A page is also found by the `keywords` in its front matter. */
export const SEARCH: DefaultTheme.LocalSearchOptions = {
  _render: renderWithKeywords,
  detailedView: true,
  miniSearch: {
    searchOptions: {
      fuzzy: 0.1,
      boostDocument: guidesFirst,
    },
  },
}

/** Renders a page for the index of the search. The keywords are a separate section, whose link opens the top of the page. */
function renderWithKeywords(
  source: string,
  environment: MarkdownEnv,
  markdown: Pick<MarkdownRenderer, 'render'>,
): string {
  const html = markdown.render(source, environment)
  const keywords: unknown = environment.frontmatter?.['keywords']
  if (typeof keywords !== 'string') return html
  return `<h1>${environment.title} <a href="#">#</a></h1><p>${keywords}</p>${html}`
}

// VitePress sends the source of this function to the browser, so it must not use other parts of this file.
function guidesFirst(id: string): number {
  if (/reference|decisions/.test(id)) return 0.2
  if (id.includes('troubleshooting')) return 0.6
  return /glossary|benchmarks|architecture/.test(id) ? 0.5 : 1
}
