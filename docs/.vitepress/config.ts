import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitepress'
import { describePage } from './describe-page.ts'
import { githubAnchor } from './github-anchor.ts'
import { extendMarkdown } from './markdown.ts'
import { navigation, sidebar } from './sidebar.ts'

/** Older targets need what esbuild does not transform any more. */
const target = 'es2022'

/** That of the demo and of the inspector. */
const icon = readFileSync(join(import.meta.dirname, '../../libs/inspector/src/page/icon.svg'), 'base64')

export default defineConfig({
  title: 'model-cache',
  description: 'Documentation of model-cache, a read-through cache of Prisma rows for NestJS.',
  lang: 'en',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `data:image/svg+xml;base64,${icon}` }]],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: githubAnchor },
    config: extendMarkdown,
    languageAlias: { promql: 'sql' }, // unknown to the highlighter
  },
  transformPageData: (page, { siteConfig }) => describePage(page, siteConfig.srcDir),
  vite: {
    // Large are the index of the search and the reference.
    build: { target, chunkSizeWarningLimit: 2_000 },
    optimizeDeps: { esbuildOptions: { target } },
  },
  themeConfig: {
    nav: navigation,
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    notFound: { linkText: 'To the first page', linkLabel: 'To the first page' },
    footer: { message: 'MIT licence' },
  },
})
