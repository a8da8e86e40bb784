/** What a run has found so far, in a file: an interrupted run goes on there. */
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'

type Entry = { noticed: string } | { rounds: number } | { isOver: true }

export class Progress {
  /** The ids of mutants that were noticed. */
  readonly noticed = new Set<string>()
  /** How many rounds have ended. */
  rounds = 0
  isOver = false

  private readonly path: string
  private readonly head: string

  /**
   * @param texts the instrumented sources: what was found of others says nothing
   * @param isFresh whether to begin again
   */
  constructor(path: string, texts: ReadonlyMap<string, string>, isFresh: boolean) {
    this.path = path
    const sources = createHash('sha256')
      .update(JSON.stringify([...texts]))
      .digest('hex')
    this.head = JSON.stringify({ sources })
    const [head, ...entries] = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
    if (isFresh || head !== this.head) this.begin()
    else for (const entry of entries) this.take(JSON.parse(entry) as Entry)
  }

  /** Forgets everything. */
  begin(): void {
    this.noticed.clear()
    this.rounds = 0
    this.isOver = false
    writeFileSync(this.path, `${this.head}\n`)
  }

  add(entry: Entry): void {
    this.take(entry)
    appendFileSync(this.path, `${JSON.stringify(entry)}\n`)
  }

  private take(entry: Entry): void {
    if ('noticed' in entry) this.noticed.add(entry.noticed)
    else if ('rounds' in entry) this.rounds = entry.rounds
    else if ('isOver' in entry) this.isOver = true
  }
}
