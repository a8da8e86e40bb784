import type { MarkdownRenderer } from 'vitepress'
import { GROUPS } from './sidebar.ts'

/** What the site needs beyond the Markdown that GitHub shows. */
export function extendMarkdown(md: MarkdownRenderer): void {
  md.core.ruler.after('inline', 'links', ({ tokens }) => {
    for (const { children } of tokens) {
      for (const [index, link] of children?.entries() ?? []) {
        if (link.type !== 'link_open') continue
        const href = siteLink(link.attrGet('href')!)
        link.attrSet('href', href)
        // A reader of the site knows pages by their titles.
        const text = children![index + 1]!
        if (/^[\w/-]+\.md$/.test(text.content)) text.content = titleOf(href) ?? text.content
      }
    }
  })
  // A header without text announces nothing: the corner of a table is a cell.
  md.core.ruler.after('inline', 'corners', ({ tokens }) => {
    for (const [index, { type, content }] of tokens.entries()) {
      if (type !== 'inline' || content !== '' || tokens[index - 1]!.type !== 'th_open') continue
      tokens[index - 1]!.tag = tokens[index + 1]!.tag = 'td'
    }
  })
}

/**
 * Links lead to files of the repository, so that they work on GitHub. The site has the pages of docs/ at its root, and beside them
 * those of the repository's root, in lower case.
 */
const siteLink = (href: string): string =>
  href
    .replace(/^docs\//, './')
    .replace(/^(?:\.\.\/)*([A-Z]+)\.md(?=#|$)/, (_, name: string) => `/${name.toLowerCase()}`)

const titles = Object.assign({}, ...Object.values(GROUPS)) as Record<string, string>

/** The title of a page in the sidebar. */
const titleOf = (href: string): string | undefined =>
  titles[href.replace(/^[./]*/, '/').replace(/\.md(#.*)?$/, '')]
