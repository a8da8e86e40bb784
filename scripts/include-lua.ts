/**
 * Writes the Lua scripts of the library into a module: each file of `lua/` with the parts that it includes, without comments and indentation,
 * which servers would keep for nothing. A line `--include parts/clock` stands for that file.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../libs/model-cache/src/protocol/backend/valkey')
const INCLUDE = /^--include (\S+)$/

export function includeLua(): void {
  const files = globSync('*.lua', { cwd: join(FOLDER, 'lua') }).toSorted()
  const scripts = files.map((file) => `  ${nameOf(file)}: ${JSON.stringify(linesOf(file).join('\n'))},\n`)
  const text = `// Written by \`npm run generate\` from lua/.\nexport const scripts = {\n${scripts.join('')}}\n`
  writeFileSync(join(FOLDER, 'lua-scripts.generated.ts'), text)
}

/** `releaseLeases` for `release-leases.lua`. */
function nameOf(file: string): string {
  return basename(file, '.lua').replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())
}

function linesOf(file: string): string[] {
  const lines = readFileSync(join(FOLDER, 'lua', file), 'utf8').split('\n')
  return lines.flatMap((line) => {
    const text = line.trim()
    const part = INCLUDE.exec(text)?.[1]
    if (part !== undefined) return linesOf(`${part}.lua`)
    return text === '' || text.startsWith('--') ? [] : [text]
  })
}
