import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { diagnosticsOf } from '../compile.js'
import { PAGES, readPage, ROOT } from '../../docs/pages.js'

/** Where the client of the Prisma schema in getting-started.md is generated, as that page lays out its files. */
const SHOP = 'node_modules/.cache/model-cache/getting-started'

/** Pages whose samples use what another page defines. */
const CONTINUED: Record<string, string> = {
  'docs/consistency.md': 'README.md',
  'docs/testing.md': 'docs/getting-started.md',
  'docs/transparent-reads.md': 'README.md',
  'docs/writes.md': 'README.md',
}

/** The samples of a page, and of the page that it continues, as one module. */
function moduleOf(page: string): string {
  const source = [CONTINUED[page], page]
    .flatMap((name) => (name === undefined ? [] : [...readPage(name).matchAll(/^```ts\n([\s\S]*?)^```$/gm)]))
    .map((block) => block[1]!)
    .join('\n')
  const isShop = [page, CONTINUED[page]].includes('docs/getting-started.md')
  const service = source.includes('class PrismaService')
    ? ''
    : `import { PrismaClient as PrismaService } from '#prisma/client/client.js'`
  return source
    .replaceAll(/^import .* from '\.\/(?!generated\/|prisma\.service).*\n/gm, '')
    .replaceAll(/^import (type )?\{ PrismaService \} from .*/gm, service)
    .replaceAll(
      './generated/prisma/client.js',
      isShop ? `../../${SHOP}/src/generated/prisma/client.js` : '#prisma/client/client.js',
    )
}

describe('the samples of the documentation', () => {
  // test/package/adoption builds an application with the samples of docs/adopt.md.
  const pages = PAGES.filter((page) => page !== 'docs/adopt.md' && readPage(page).includes('```ts\n'))

  /** By page. */
  let errors: ReadonlyMap<string, readonly string[]>
  beforeAll(async () => {
    const schema = join(ROOT, SHOP, 'prisma/schema.prisma')
    const [, text] = /^```prisma\n([\s\S]*?)^```$/m.exec(readPage('docs/getting-started.md'))!
    mkdirSync(join(schema, '..'), { recursive: true })
    writeFileSync(schema, text!)
    const generated = spawnSync('prisma', ['generate', '--no-hints', '--schema', schema], {
      cwd: join(ROOT, SHOP),
      // Generating never runs the engine, but downloads one unless this names a file.
      env: { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, ...process.env },
      encoding: 'utf8',
    })
    if (generated.status !== 0) throw new Error(generated.stderr)
    const found = pages.map(async (page) => [page, await diagnosticsOf(moduleOf(page))] as const)
    errors = new Map(await Promise.all(found))
  })

  it.each(pages)('compile: %s', (page) => {
    expect(moduleOf(page)).toMatch(/^import .* from '/m)
    // Several files in one module: each imports what it needs, so names occur twice.
    expect(errors.get(page)!.filter((error) => !/Duplicate identifier/.test(error))).toEqual([])
  })
})
