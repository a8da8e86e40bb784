import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { extname, join, sep } from 'node:path'

/** The files of the page, which an application may use for pages of its own: charts, styles, and functions that make elements. */
export const inspectorPageFolder = join(import.meta.dirname, '../page')

export interface Asset {
  readonly type: string
  readonly text: string
  readonly etag: string
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
}

/** Where index.html has the start of relative URLs. */
const BASE = '{{base}}'

/** The page and what it loads, read once: no path of a request reaches the disk. */
export class PageFiles {
  readonly #html = readFileSync(join(inspectorPageFolder, 'index.html'), 'utf8')
  /** By their paths below `assets/`. */
  readonly assets: ReadonlyMap<string, Asset> = new Map([...ownAssets(), ...chartAssets()])

  /**
   * Returns the HTML of the page.
   *
   * @param base start of its relative URLs, such as `inspector/`
   */
  page(base: string): string {
    return this.#html.replaceAll(BASE, base)
  }
}

function ownAssets(): [string, Asset][] {
  const names = readdirSync(inspectorPageFolder, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => extname(name) in TYPES)
    .map((name) => [name.replaceAll(sep, '/'), assetOf(join(inspectorPageFolder, name))])
}

function chartAssets(): [string, Asset][] {
  const { resolve } = createRequire(import.meta.url)
  return ['uPlot.esm.js', 'uPlot.min.css'].map((name) => [name, assetOf(resolve(`uplot/dist/${name}`))])
}

function assetOf(path: string): Asset {
  const text = readFileSync(path, 'utf8')
  const hash = createHash('sha256').update(text).digest('base64url')
  return { type: TYPES[extname(path)]!, text, etag: `"${hash}"` }
}
