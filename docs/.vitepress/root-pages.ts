import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

/** Pages at the root of the repository that the site has as well, by their addresses. */
export const ROOT_PAGES: Readonly<Record<string, string>> = {
  architecture: join(ROOT, 'ARCHITECTURE.md'),
  contributing: join(ROOT, 'CONTRIBUTING.md'),
  security: join(ROOT, 'SECURITY.md'),
  changelog: join(ROOT, 'CHANGELOG.md'),
}
