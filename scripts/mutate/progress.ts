/** What a run has found so far, in a file: an interrupted run goes on there. */
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Mutant } from './instrument.ts'

type Entry = { noticed: string } | { rounds: number } | { isOver: true }

export class Progress {
  /** The keys of mutants that were noticed. */
  readonly noticed = new Set<string>()
  /** How many rounds have ended. */
  rounds = 0
  isOver = false

  private readonly path: string
  /** A hash of each source file: what was found of others says nothing. */
  private readonly sources: Readonly<Record<string, string>>

  constructor(path: string, mutants: readonly Mutant[]) {
    this.path = path
    this.sources = hashesOf(mutants)
    if (existsSync(path)) this.read(mutants)
    else this.write()
  }

  /** Forgets everything. */
  begin(): void {
    this.noticed.clear()
    this.repeat()
  }

  /** Forgets which specs have run; what they have noticed counts. */
  repeat(): void {
    this.rounds = 0
    this.isOver = false
    this.write()
  }

  add(entry: Entry): void {
    this.take(entry)
    appendFileSync(this.path, `${JSON.stringify(entry)}\n`)
  }

  private read(mutants: readonly Mutant[]): void {
    const [head, ...entries] = readFileSync(this.path, 'utf8').trim().split('\n')
    for (const entry of entries) this.take(JSON.parse(entry) as Entry)
    const { sources: known } = JSON.parse(head!) as { sources: Record<string, string> }
    const changed = Object.keys(this.sources).filter((file) => known[file] !== this.sources[file])
    if (changed.length === 0) return
    for (const { key, file } of mutants) if (changed.includes(file)) this.noticed.delete(key)
    this.repeat()
  }

  private take(entry: Entry): void {
    if ('noticed' in entry) this.noticed.add(entry.noticed)
    else if ('rounds' in entry) this.rounds = entry.rounds
    else if ('isOver' in entry) this.isOver = true
  }

  private write(): void {
    const lines = [{ sources: this.sources }, ...[...this.noticed].map((noticed) => ({ noticed }))]
    writeFileSync(this.path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  }
}

function hashesOf(mutants: readonly Mutant[]): Record<string, string> {
  const hashes: Record<string, string> = {}
  for (const [file, ofFile] of Map.groupBy(mutants, ({ file }) => file)) {
    const changes = ofFile.map(({ key, original, replacement }) => [key, original, replacement])
    hashes[file] = createHash('sha256')
      .update(readFileSync(file))
      .update(JSON.stringify(changes))
      .digest('hex')
      .slice(0, 16)
  }
  return hashes
}
