import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import { files, html } from '../page.generated.js'

/** A file that the page loads. */
export interface PageFile {
  /** The value of the header `content-type`. */
  readonly type: string
  readonly text: string
  /** The value of the header `etag`. */
  readonly etag: string
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
}

/** Where index.html has the start of relative URLs. */
const BASE = '{{base}}'

/**
 * The files that the page loads, by paths such as `charts/chart.js`. An application may serve them for pages of its own: charts, styles,
 * and functions that make elements.
 */
export const inspectorPageFiles: ReadonlyMap<string, PageFile> = new Map(
  Object.entries(files).map(([name, text]) => [name, pageFileOf(name, text)]),
)

/**
 * Returns the HTML of the page.
 *
 * @param base start of its relative URLs, such as `inspector/`
 */
export function pageHtml(base: string): string {
  return html.replaceAll(BASE, base)
}

function pageFileOf(name: string, text: string): PageFile {
  const hash = createHash('sha256').update(text).digest('base64url')
  return { type: TYPES[extname(name)]!, text, etag: `"${hash}"` }
}
