/**
 * `node scripts/compile.ts prisma dist/prisma`: compiles the TypeScript of a folder into another, file by file, as .swcrc says and as
 * `nest build` does. Specs are left out.
 */
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { transformFile } from '@swc/core'

const [source, target] = process.argv.slice(2).map((path) => resolve(path))
const names = await readdir(source!, { recursive: true })
const compiled = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
await Promise.all(compiled.map(compile))

async function compile(name: string): Promise<void> {
  const from = join(source!, name)
  const to = join(target!, name.replace(/ts$/, 'js'))
  const { code, map } = await transformFile(from, {
    root: join(import.meta.dirname, '..'),
    sourceFileName: relative(dirname(to), from),
  })
  await mkdir(dirname(to), { recursive: true })
  await writeFile(to, `${code}\n//# sourceMappingURL=${basename(to)}.map`)
  await writeFile(`${to}.map`, map!)
}
