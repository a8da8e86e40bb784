import { readFileSync } from 'node:fs'
import { ROOT_PAGES } from './.vitepress/root-pages.ts'

/** The pages at the root of the repository, rendered by `[page].md`. */
export default {
  paths: () =>
    Object.entries(ROOT_PAGES).map(([page, file]) => ({
      params: { page },
      content: readFileSync(file, 'utf8'),
    })),
}
