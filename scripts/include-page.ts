/**
 * Writes what the inspector serves into a module: its page, the library of its charts, and the version of the package. Bundlers find these as
 * part of the code; files beside it they would not copy.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, sep } from 'node:path'

const LIBRARY = join(import.meta.dirname, '../libs/inspector')
const PAGE = join(LIBRARY, 'src/page')
const CHARTS = ['uPlot.esm.js', 'uPlot.min.css']

export function includePage(): void {
  const { resolve } = createRequire(import.meta.url)
  const { version } = JSON.parse(readFileSync(join(LIBRARY, 'package.json'), 'utf8')) as { version: string }
  const own = globSync('**/*.{css,js,svg}', { cwd: PAGE }).toSorted()
  const files = [
    ...own.map((name) => [name.replaceAll(sep, '/'), join(PAGE, name)]),
    ...CHARTS.map((name) => [name, resolve(`uplot/dist/${name}`)]),
  ] as const
  const lines = [
    '// Written by `npm run generate` from page/, uplot and package.json.',
    `export const version = ${JSON.stringify(version)}`,
    `export const html = ${textOf(join(PAGE, 'index.html'))}`,
    'export const files: Readonly<Record<string, string>> = {',
    ...files.map(([name, path]) => `  ${JSON.stringify(name)}: ${textOf(path!)},`),
    '}',
  ]
  writeFileSync(join(LIBRARY, 'src/page.generated.ts'), `${lines.join('\n')}\n`)
}

function textOf(path: string): string {
  return JSON.stringify(readFileSync(path, 'utf8'))
}
