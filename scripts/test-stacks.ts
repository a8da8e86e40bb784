/**
 * `npm run test:stacks`: runs the packed library with other versions of Nest, Prisma, ioredis and Node, one leg after the other, and
 * prints what ran. `-- --only floor` runs one leg, `-- --list` names them. Legs that have passed with this library are not run again,
 * so that an interrupted run goes on; `-- --again` runs them nevertheless. `-- --write` writes the table into docs/compatibility.md.
 *
 * `npm run test:peers`: runs the comparisons with a plain client on the `latest` and the `next` Prisma; `-- next` on one of them.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { packLibrary } from '../test/package/pack-library.ts'
import { startTestServers, stopTestServers } from '../test/support/test-servers.ts'
import { type Leg, type LegResult, legs, nextLegs } from './stacks/legs.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    again: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    /** Legs of `npm run test:peers`. */
    next: { type: 'boolean', default: false },
  },
})

const ROOT = join(import.meta.dirname, '..')
const LIBRARY = join(ROOT, 'libs/model-cache')
const RESULTS = join(ROOT, 'dist/stacks')
const PAGE = join(ROOT, 'docs/compatibility.md')

const all = values.next ? nextLegs : legs
const names = [...values.only, ...positionals]
const unknown = names.filter((name) => !all.some((leg) => leg.name === name))
if (unknown.length > 0) {
  throw new Error(`There is no leg ${unknown.join(', ')}, only ${all.map(({ name }) => name).join(', ')}.`)
}
const chosen = all.filter(({ name }) => names.length === 0 || names.includes(name))
const library = fingerprint()

if (values.list) console.log(chosen.map(({ name }) => name).join('\n'))
else {
  mkdirSync(RESULTS, { recursive: true })
  const results = new Map<string, LegResult | undefined>()
  for (const leg of chosen) results.set(leg.name, resultOf(leg) ?? (await run(leg)))
  const table = tableOf(results)
  console.log(`\n${table}`)
  if ([...results.values()].includes(undefined)) process.exitCode = 1
  else if (values.write) writePage(table)
}

/** The stored result of a leg that has passed with this library. */
function resultOf({ name }: Leg): LegResult | undefined {
  const path = join(RESULTS, `${name}.json`)
  if (values.again || !existsSync(path)) return undefined
  const stored = JSON.parse(readFileSync(path, 'utf8')) as LegResult & { library: string }
  return stored.library === library ? stored : undefined
}

/** @returns undefined if it has failed */
async function run(leg: Leg): Promise<LegResult | undefined> {
  console.log(`\n=== ${leg.name}`)
  const folder = mkdtempSync(join(tmpdir(), `model-cache-${leg.name}-`))
  const start = performance.now()
  try {
    console.log(await startTestServers())
    const result = await leg.run(folder, await packLibrary(folder))
    writeFileSync(join(RESULTS, `${leg.name}.json`), JSON.stringify({ library, ...result }, null, 2))
    console.log(`${leg.name}: passed in ${Math.round((performance.now() - start) / 1_000)} s`)
    return result
  } catch (error) {
    console.error(`${leg.name}: FAILED\n${error instanceof Error ? error.message : String(error)}`)
    return undefined
  } finally {
    await stopTestServers()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Of all that is packed. */
function fingerprint(): string {
  const hash = createHash('sha256').update(readFileSync(join(LIBRARY, 'package.json')))
  for (const file of readdirSync(join(LIBRARY, 'src'), { recursive: true, encoding: 'utf8' }).toSorted()) {
    if (/\.(ts|lua|js|css|html)$/.test(file) && !file.endsWith('.spec.ts'))
      hash.update(`${file}\0`).update(readFileSync(join(LIBRARY, 'src', file)))
  }
  return hash.digest('hex').slice(0, 16)
}

function tableOf(results: ReadonlyMap<string, LegResult | undefined>): string {
  const lines = Array.from(results, ([name, result]) => {
    if (!result) return `- **${name}** failed`
    const versions = Object.entries(result.versions)
      .filter(([key]) => /^(@nestjs\/core|@prisma\/client|ioredis|bullmq)$/.test(key))
      .map(([key, version]) => `${key} ${version}`)
    const of = versions.length > 0 ? ` (${versions.join(', ')})` : ''
    return wrapped(`- **${name}**${of}: ${result.ran}`)
  })
  return lines.join('\n')
}

/** A list item in lines of at most 115 characters. */
function wrapped(item: string): string {
  const lines = ['']
  for (const word of item.split(' ')) {
    if (lines.at(-1)!.length + word.length > 115) lines.push(' ')
    lines.push([lines.pop(), word].filter(Boolean).join(' '))
  }
  return lines.join('\n')
}

function writePage(table: string): void {
  const [start, end] = [
    '<!-- generated by npm run test:stacks -- --write -->',
    '<!-- end of what is generated -->',
  ]
  const text = readFileSync(PAGE, 'utf8')
  const [head, tail] = [text.indexOf(start) + start.length, text.indexOf(end)]
  writeFileSync(PAGE, `${text.slice(0, head)}\n\n${table}\n\n${text.slice(tail)}`)
}
