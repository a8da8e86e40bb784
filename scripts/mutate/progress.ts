/**
 * Which mutants of a folder tests have noticed so far, in a file of the repository: a run goes on where the last one was, on whatever
 * machine that was. Of a source file that has changed since, nothing is known.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Mutant } from './mutant.ts'

/** An interrupted run loses what it noticed in the last so many milliseconds. */
const WRITE_EVERY_MS = 5_000

/** What the file has, as JSON. */
interface Stored {
  /** How many rounds of specs have ended. */
  rounds: number
  /** By path: a hash of the source file and its mutants, then the numbers of those that no test has noticed, such as `2-5 9`. */
  files: Record<string, string>
}

export class Progress {
  /** How many rounds of specs have ended. */
  rounds = 0

  private readonly path: string
  private readonly files: ReadonlyMap<string, readonly Mutant[]>
  private readonly hashes: ReadonlyMap<string, string>
  private readonly noticed = new Set<string>()
  private writtenAt = -Infinity

  /** @param mutants all of the folder */
  constructor(path: string, mutants: readonly Mutant[]) {
    this.path = path
    this.files = Map.groupBy(mutants, ({ file }) => file)
    this.hashes = new Map([...this.files].map(([file, ofFile]) => [file, hashOf(file, ofFile)]))
    if (existsSync(path)) this.read(JSON.parse(readFileSync(path, 'utf8')) as Stored)
  }

  hasNoticed({ key }: Mutant): boolean {
    return this.noticed.has(key)
  }

  notice({ key }: Mutant): void {
    this.noticed.add(key)
    if (performance.now() - this.writtenAt > WRITE_EVERY_MS) this.write()
  }

  write(): void {
    const files = [...this.files].map(([file, mutants]) => {
      const left = mutants.filter((mutant) => !this.hasNoticed(mutant)).map(numberOf)
      return [file, [this.hashes.get(file)!, ...rangesOf(left)].join(' ')]
    })
    const stored: Stored = { rounds: this.rounds, files: Object.fromEntries(files) }
    mkdirSync(dirname(this.path), { recursive: true })
    writeFileSync(this.path, `${JSON.stringify(stored, null, 2)}\n`)
    this.writtenAt = performance.now()
  }

  private read({ rounds, files }: Stored): void {
    let isKnown = true
    for (const [file, mutants] of this.files) {
      const [hash, ...ranges] = (files[file] ?? '').split(' ')
      if (hash !== this.hashes.get(file)) {
        isKnown = false
        continue
      }
      const left = new Set(ranges.flatMap(numbersIn))
      for (const mutant of mutants) if (!left.has(numberOf(mutant))) this.noticed.add(mutant.key)
    }
    // Another file needs all of them.
    if (isKnown) this.rounds = rounds
  }
}

function hashOf(file: string, mutants: readonly Mutant[]): string {
  const changes = mutants.map(({ key, original, replacement }) => [key, original, replacement])
  return createHash('sha256')
    .update(readFileSync(file))
    .update(JSON.stringify(changes))
    .digest('hex')
    .slice(0, 16)
}

/** The number of a mutant in its file. */
function numberOf({ key }: Mutant): number {
  return Number(key.slice(key.lastIndexOf('#') + 1))
}

/** @param numbers ascending */
function rangesOf(numbers: readonly number[]): string[] {
  const ranges: [number, number][] = []
  for (const number of numbers) {
    const last = ranges.at(-1)
    if (last?.[1] === number - 1) last[1] = number
    else ranges.push([number, number])
  }
  return ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`))
}

function numbersIn(range: string): number[] {
  const [from, to] = range.split('-').map(Number) as [number, number?]
  return Array.from({ length: (to ?? from) - from + 1 }, (_, i) => from + i)
}
