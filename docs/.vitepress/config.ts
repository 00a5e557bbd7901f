import { readFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { defineConfig, type MarkdownOptions } from 'vitepress'
import llmstxt from 'vitepress-plugin-llms'
import { DOCS, tableOfContents } from './contents.ts'
import { fixCopies } from './fix-copies.ts'
import { anchorOf, destinationOf } from './links.ts'
import { SEARCH } from './search.ts'

// GitHub Actions sets these variables. Without them, links to files of the repository become plain text.
const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, SITE_BASE = '/' } = process.env
const repository = GITHUB_REPOSITORY === undefined ? undefined : `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`

const { version } = JSON.parse(readFileSync(join(DOCS, '../packages/webhooks/package.json'), 'utf8'))

const DESCRIPTION =
  'Notewire is a TypeScript toolkit for the notes service: a webhook receiver, a REST client, a mirror, a command line, ' +
  'and a mock server for tests.'

const MARK = `data:image/svg+xml,${encodeURIComponent(readFileSync(join(DOCS, 'mark.svg'), 'utf8'))}`

const ofVitepress = createRequire(createRequire(import.meta.url).resolve('vitepress'))
const vue = dirname(ofVitepress.resolve('vue/package.json'))

// biome-ignore lint/style/noDefaultExport: VitePress reads it
export default defineConfig({
  title: 'Notewire',
  description: DESCRIPTION,
  lang: 'en',
  base: SITE_BASE,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: MARK }]],
  cacheDir: '.vitepress/node_modules/.cache',
  markdown: {
    anchor: { slugify: anchorOf },
    config: rewriteLinks,
  },
  vite: {
    plugins: [
      llmstxt({
        description: DESCRIPTION,
        details:
          'ES modules, on Node.js from 22.12 on, Bun, Deno and Cloudflare Workers.\n\n' +
          `Before you write code with Notewire, read [Coding agents](${SITE_BASE}coding-agents.md): the rules, in 40 lines.`,
        injectLLMHint: false,
        excludeIndexPage: false,
      }),
    ],
    // Pages cannot resolve `vue`, because the dependencies of the site are in `.vitepress/node_modules`.
    resolve: {
      alias: [{ find: /^vue(\/server-renderer)?$/, replacement: `${vue}$1` }],
      conditions: ['@notewire/source'],
    },
    build: {
      chunkSizeWarningLimit: 2_000,
      target: 'es2022',
      // The mock service imports them only when it listens on a port, which the page does not do.
      rollupOptions: { external: [/^node:/] },
    },
  },
  themeConfig: {
    logo: { src: MARK, alt: '' },
    nav: [
      { text: 'See it work', link: '/see-it-work' },
      { text: 'Tutorial', link: '/tutorial' },
      { text: 'Guides', link: '/#guides-by-task' },
      { text: 'Reference', link: '/reference/' },
      { text: 'Troubleshooting', link: '/troubleshooting' },
    ],
    sidebar: tableOfContents().map(({ items, ...part }) => ({ ...part, items: [...items] })),
    outline: { level: [2, 3] },
    search: { provider: 'local', options: SEARCH },
    externalLinkIcon: true,
    footer: { message: `Notewire ${version}` },
    ...(repository !== undefined && { socialLinks: [{ icon: 'github', link: repository }] }),
  },
  async buildEnd({ outDir }) {
    await cp(join(DOCS, 'contract'), join(outDir, 'contract'), {
      recursive: true,
      filter: (path) => !path.endsWith('.md'),
    })
    for (const file of ['dashboard.json', 'alerts.yaml']) {
      await cp(join(DOCS, 'operate', file), join(outDir, 'operate', file))
    }
    fixCopies(outDir, { base: SITE_BASE, repository })
  },
})

/** Rewrites the links of a page, which are relative to files of the repository, for the site. */
function rewriteLinks(md: Parameters<NonNullable<MarkdownOptions['config']>>[0]): void {
  md.core.ruler.push('repository-links', ({ tokens, env }) => {
    const parts = tokens.flatMap(({ children }) => children ?? [])
    for (const link of parts.filter(({ type }) => type === 'link_open')) {
      const destination = destinationOf(env.relativePath, link.attrGet('href') ?? '')
      if (destination.kind === 'site') link.attrSet('href', destination.href)
      if (destination.kind === 'repository') link.attrs = [repositoryAttribute(destination.path)]
    }
  })
}

function repositoryAttribute(path: string): [name: string, value: string] {
  return repository === undefined
    ? ['title', `${path}, in the repository`]
    : ['href', `${repository}/blob/main/${path}`]
}
