/** Which specs the suite of a folder, `folder.spec.ts`, consists of. */
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

const NAME = 'folder.spec.ts'

/** @returns the paths of the specs in a folder and below it, but for folders with a suite of their own */
export function specsOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return existsSync(join(path, NAME)) ? [] : specsOf(path)
      return /(?<!\.deep)\.spec\.ts$/.test(entry.name) && entry.name !== NAME ? [path] : []
    })
    .toSorted()
}

/** @returns the path of the suite at or above a spec that it belongs to, or is */
export function suiteOf(spec: string): string | undefined {
  for (let folder = dirname(spec); folder !== dirname(folder); folder = dirname(folder)) {
    const suite = join(folder, NAME)
    if (existsSync(suite)) return suite
  }
  return undefined
}
