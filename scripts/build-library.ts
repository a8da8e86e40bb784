/**
 * `npm run build:library`: builds the packages of libs/ into their folders `dist`, for `import` below `esm` and for `require` below `cjs`. Both
 * have the same modules, bundled into few files, with the declarations that the entry points need. Packages import each other by name.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { build, type BuildOptions, type Plugin, transform } from 'esbuild'
import ts from 'typescript'
import { moduleOf, type Package, packages } from './packages.ts'

const ROOT = join(import.meta.dirname, '..')
const SETTINGS = 'tsconfig.lib.json'

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

if (import.meta.main) await buildPackages((folder) => join(ROOT, folder, 'dist'))

/**
 * @param distOf where the build of a package goes, by its folder in the repository; below a copy of its package.json
 * @param options of tsc
 */
export async function buildPackages(distOf: (folder: string) => string, ...options: string[]): Promise<void> {
  const built = packages.map((one) => {
    const dist = distOf(one.folder)
    rmSync(dist, { recursive: true, force: true })
    mkdirSync(dist, { recursive: true })
    return { ...one, dist, compiled: mkdtempSync(join(dist, 'compiled-')) }
  })
  try {
    compile(built, options)
    for (const one of built) await buildPackage(one)
  } finally {
    for (const { compiled } of built) rmSync(compiled, { recursive: true })
  }
}

interface Building extends Package {
  readonly dist: string
  /** What tsc has made of it. */
  readonly compiled: string
}

/** Compiles packages with the settings of each, but into these folders. */
function compile(built: readonly Building[], options: readonly string[]): void {
  for (const { compiled, folder, imports } of built) {
    const settings = {
      extends: join(ROOT, folder, SETTINGS),
      compilerOptions: {
        emitDeclarationOnly: false,
        outDir: modulesIn(compiled),
        tsBuildInfoFile: join(compiled, 'tsbuildinfo'),
      },
      references: built
        .filter(({ name }) => imports.includes(name))
        .map((one) => ({ path: settingsIn(one.compiled) })),
    }
    writeFileSync(settingsIn(compiled), JSON.stringify(settings))
  }
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const args = [tsc, '--build', ...built.map(({ compiled }) => settingsIn(compiled)), ...options]
  const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' })
  if (status !== 0) throw new Error('The library does not compile.')
}

function modulesIn(compiled: string): string {
  return join(compiled, 'modules')
}

function settingsIn(compiled: string): string {
  return join(compiled, SETTINGS)
}

async function buildPackage({ compiled, dist, entries, manifest }: Building): Promise<void> {
  const modules = modulesIn(compiled)
  const names = Object.values(entries)
  const define = { PACKAGE_VERSION: JSON.stringify(manifest.version) }
  // Commands run, and are never required.
  const commands = Object.values(manifest.bin ?? {}).map(moduleOf)
  await bundle(modules, [...names, ...commands], { outdir: join(dist, 'esm'), define })
  if (names.length === 0) return
  await bundleForRequire(modules, names, { outdir: join(dist, 'cjs'), define })
  for (const path of declarationsOf(modules, names)) {
    for (const form of ['esm', 'cjs']) cpSync(path, join(dist, form, relative(modules, path)))
  }
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
async function bundleForRequire(
  modules: string,
  names: readonly string[],
  options: BuildOptions & { readonly outdir: string },
): Promise<void> {
  const { outputFiles } = await bundle(modules, names, { ...options, write: false })
  for (const { path, text } of outputFiles!) {
    const { code } = await transform(text, {
      format: 'cjs',
      target: 'es2023',
      // For `createRequire`, which takes either.
      define: { 'import.meta.url': '__filename' },
      // `import()` in a test needs a flag of Node if Jest runs it; `require` needs none.
      supported: { 'dynamic-import': false },
      logOverride: { 'empty-import-meta': 'error' },
    })
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, code)
  }
  writeFileSync(join(options.outdir, 'package.json'), '{ "type": "commonjs" }\n')
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
