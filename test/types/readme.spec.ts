import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { diagnosticsOf } from './compile.js'

const root = join(import.meta.dirname, '../..')

/** Joins the TypeScript blocks of a page into one module, without relative imports, and with this project's Prisma client. */
function moduleOf(page: string): string {
  const blocks = readFileSync(join(root, page), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)
  return [...blocks]
    .map((block) => block[1]!)
    .join('\n')
    .replaceAll('./generated/prisma/client.js', '#prisma/client/client.js')
    .replaceAll(/^import .* from '\.\/(?!prisma\.service).*\n/gm, '')
    .replaceAll(
      /^import \{ PrismaService \} from .*/gm,
      `import { PrismaClient as PrismaService } from '#prisma/client/client.js'`,
    )
}

describe('examples in the documentation compile', () => {
  it.each([
    'README.md',
    'libs/model-cache/README.md',
    'docs/codec.md',
    'docs/event-loop.md',
    'docs/tracing.md',
    'docs/health.md',
  ])('%s', (page) => {
    const source = moduleOf(page)
    expect(source).toContain("from 'model-cache")
    // Several files in one module repeat imports.
    expect(diagnosticsOf(source).filter((error) => !/Duplicate identifier/.test(error))).toEqual([])
  })
})
