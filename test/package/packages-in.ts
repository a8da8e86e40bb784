import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The names of the packages in a node_modules folder. */
export function packagesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(folder, name)).map((part) => `${name}/${part}`) : name,
    )
}
