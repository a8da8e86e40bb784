/**
 * `npm run build:library`: builds the library into libs/model-cache/dist, for `import` below `esm` and for `require` below `cjs`. Both have
 * the same modules, bundled into few files, with the declarations that the entry points need.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { build, type BuildOptions, type Plugin, transform } from 'esbuild'
import ts from 'typescript'

const ROOT = join(import.meta.dirname, '..')
const LIBRARY = join(ROOT, 'libs/model-cache')
/** What runs commands only, and is never required. */
const COMMAND_LINE = 'cli/main'

/** Gives decorated classes their names as text: esbuild renames them, here and in applications, and Nest's logs have the names. */
const namedClasses: Plugin = {
  name: 'named-classes',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(
        /^let (\w+) = (?:\w+ = )?class \1 (?:extends \w+ )?\{$/gm,
        `$&\n    static { Object.defineProperty(this, 'name', { value: '$1', configurable: true }) }`,
      ),
    }))
  },
}

if (import.meta.main) await buildLibrary(join(LIBRARY, 'dist'))

/** @param options of tsc */
export async function buildLibrary(dist: string, ...options: string[]): Promise<void> {
  rmSync(dist, { recursive: true, force: true })
  mkdirSync(dist, { recursive: true })
  const modules = mkdtempSync(join(dist, 'modules-'))
  try {
    compile(modules, options)
    const names = entryPoints()
    await bundle(modules, [...names, COMMAND_LINE], { outdir: join(dist, 'esm') })
    await bundleForRequire(modules, names, join(dist, 'cjs'))
    for (const path of declarationsOf(modules, names)) {
      for (const form of ['esm', 'cjs']) cpSync(path, join(dist, form, relative(modules, path)))
    }
  } finally {
    rmSync(modules, { recursive: true })
  }
}

function compile(outDir: string, options: readonly string[]): void {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const args = [tsc, '--project', join(LIBRARY, 'tsconfig.lib.json'), '--outDir', outDir, ...options]
  const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' })
  if (status !== 0) throw new Error('The library does not compile.')
}

/** Modules that the package exports, such as `codec/index`. */
function entryPoints(): string[] {
  const manifest = JSON.parse(readFileSync(join(LIBRARY, 'package.json'), 'utf8')) as {
    exports: Readonly<Record<string, string | { default: string }>>
  }
  return Object.values(manifest.exports).flatMap((target) =>
    typeof target === 'string' ? [] : [target.default.slice('./dist/esm/'.length, -'.js'.length)],
  )
}

function bundle(modules: string, names: readonly string[], options: BuildOptions) {
  return build({
    entryPoints: names.map((name) => ({ in: join(modules, `${name}.js`), out: name })),
    chunkNames: 'chunks/[hash]',
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    target: 'es2023',
    format: 'esm',
    logLevel: 'warning',
    plugins: [namedClasses],
    ...options,
  })
}

/** Each file of a bundle in the form of CommonJS: esbuild splits ES modules only. */
async function bundleForRequire(modules: string, names: readonly string[], outdir: string): Promise<void> {
  const { outputFiles } = await bundle(modules, names, { outdir, write: false })
  for (const { path, text } of outputFiles!) {
    const { code } = await transform(text, {
      format: 'cjs',
      target: 'es2023',
      // `import()` in a test needs a flag of Node if Jest runs it; `require` needs none.
      supported: { 'dynamic-import': false },
      logOverride: { 'empty-import-meta': 'error' },
    })
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, code)
  }
  writeFileSync(join(outdir, 'package.json'), '{ "type": "commonjs" }\n')
}

/** The declarations of these modules, and those that they import. */
function declarationsOf(modules: string, names: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (path: string): void => {
    if (found.has(path)) return
    found.add(path)
    for (const { fileName } of ts.preProcessFile(readFileSync(path, 'utf8')).importedFiles) {
      if (fileName.startsWith('.')) visit(join(dirname(path), fileName.replace(/\.js$/, '.d.ts')))
    }
  }
  for (const name of names) visit(join(modules, `${name}.d.ts`))
  return found
}
