import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

const attributes = (html: string, name: string): string[] =>
  [...html.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map(([, value]) =>
    value!.replaceAll('&amp;', '&').replaceAll('&#39;', "'"),
  )

/** The links and sources of the files that lead to no file of the folder, or to no element of a page, with their pages. */
export function brokenLinks(folder: string, files: readonly string[]): string[] {
  const html = new Map(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]))
  const ids = new Map([...html].map(([file, text]) => [file, new Set(attributes(text, 'id'))]))
  const isBroken = (file: string, link: string): boolean => {
    if (/^(https?|mailto|data):/.test(link)) return false
    const [path, anchor] = link.split('#').map(decodeURIComponent) as [string, string?]
    let target = path === '' ? file : posix.join('/', posix.dirname(file), path).slice(1)
    if (path.startsWith('/')) target = path.slice(1)
    if (target === '' || target.endsWith('/')) target += 'index.html'
    if (!existsSync(join(folder, target))) return true
    return Boolean(anchor) && !ids.get(target)?.has(anchor!)
  }
  return [...html].flatMap(([file, text]) =>
    [...new Set([...attributes(text, 'href'), ...attributes(text, 'src')])]
      .filter((link) => isBroken(file, link))
      .map((link) => `${file}: ${link}`),
  )
}
