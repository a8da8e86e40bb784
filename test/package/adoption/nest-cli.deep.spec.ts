import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { execute } from '../execute.js'

const ROOT = join(import.meta.dirname, '../../..')
const SOURCE = 'apps/auction/src'

/** The compiled modules of a folder by their names. Nest's CLI quotes imports in another way. */
async function modulesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.js'))
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return new Map(names.toSorted().map((name) => [name, texts[names.indexOf(name)]!.replaceAll('"', "'")]))
}

it('builds the demo by `nest build` as by `npm run build`', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'model-cache-nest-cli-'))
  try {
    const settings = join(folder, 'tsconfig.json')
    await writeFile(
      settings,
      JSON.stringify({
        extends: join(ROOT, 'apps/auction/tsconfig.app.json'),
        compilerOptions: { outDir: join(folder, 'nest') },
      }),
    )
    const nest = join(import.meta.dirname, 'node_modules/.bin/nest')
    await execute(nest, ['build', 'auction', '--path', relative(ROOT, settings)], ROOT)
    await execute('node', ['scripts/compile.ts', SOURCE, join(folder, 'own')], ROOT)
    const own = await modulesIn(join(folder, 'own'))
    expect(own.get('main.js')).toContain('createApp')
    expect(await modulesIn(join(folder, 'nest', SOURCE))).toEqual(own)
  } finally {
    await rm(folder, { recursive: true })
  }
})
