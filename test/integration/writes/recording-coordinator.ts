import type { WatchedLookup, WriteCoordinator, WriteEnd, WriteUnit, WrittenRow } from 'model-cache/advanced'

/** Records calls as lines, `markWritten GuestUser {"id":"g"}`, each with what `look` sees at that moment. */
export class RecordingCoordinator implements WriteCoordinator {
  readonly events: string[] = []
  /** The id fields of the caches of each model. */
  caches: Record<string, string[][]> = {}
  /** The lookups of each model. */
  lookups: Record<string, WatchedLookup[]> = {}
  /** What another connection sees of the database. */
  look: () => Promise<unknown> = async () => undefined
  /** Makes fences fail if set. */
  refusal: Error | undefined
  /** The client of the innermost running transaction callback. */
  scope: object | undefined
  #units = 0
  readonly #ends = new Set<Promise<void>>()

  idFieldsOf(model: string): readonly (readonly string[])[] {
    return this.caches[model] ?? []
  }

  lookupsOf(model: string): readonly WatchedLookup[] {
    return this.lookups[model] ?? []
  }

  prepare(): undefined {}

  begin(): WriteUnit {
    return new RecordingUnit(this, ++this.#units)
  }

  async within<T>(_unit: WriteUnit, client: object, work: () => Promise<T>): Promise<T> {
    const outer = this.scope
    this.scope = client
    try {
      return await work()
    } finally {
      this.scope = outer
    }
  }

  async record(event: string): Promise<void> {
    const seen = await this.look()
    this.events.push(seen === undefined ? event : `${event} seeing ${String(seen)}`)
  }

  /** Records the end of a unit, for which its write does not wait. */
  recordEnd(event: string): Promise<void> {
    const recorded = this.record(event)
    this.#ends.add(recorded)
    return recorded.finally(() => this.#ends.delete(recorded))
  }

  /** Resolves once all ends so far have been recorded. */
  async ended(): Promise<void> {
    await Promise.all(this.#ends)
  }

  /** Returns the lines since the last call once all ends have been recorded, and resets the number of units. */
  async take(): Promise<string[]> {
    await this.ended()
    this.#units = 0
    return this.events.splice(0)
  }
}

/** The lines of a write by what it marks, and by what `look` sees at its fence and at its end if it looks. */
export function linesOf(marked: unknown, atFence = '', atEnd = ''): unknown[] {
  const seeing = (what: string): string => what && ` seeing ${what}`
  return [marked, `fence${seeing(atFence)}`, `end${seeing(atEnd)}`].flat()
}

class RecordingUnit implements WriteUnit {
  readonly #recorder: RecordingCoordinator
  readonly #name: string
  #affected = false
  /** Units without writes are not recorded. */
  #hasWrites = false
  #ended = false

  constructor(recorder: RecordingCoordinator, number: number) {
    this.#recorder = recorder
    this.#name = number === 1 ? '' : `${number}: `
  }

  get isFenced(): boolean {
    return !this.#affected
  }

  markWritten(model: string, rows: readonly WrittenRow[]): void {
    this.#say(`markWritten ${model} ${rows.map(textOf).join(' ')}`)
  }

  markAllWritten(model: string, reason: string): void {
    this.#say(`markWritten all ${model}: ${reason}`)
  }

  markCreated(model: string, reason: string): void {
    this.#say(`markWritten created ${model}: ${reason}`)
  }

  markJoined(model: string, rows: readonly WrittenRow[], changed?: ReadonlySet<string>): void {
    const fields = changed ? ` by ${[...changed].join(', ')}` : ''
    this.#say(`markJoined ${model} ${rows.map(textOf).join(' ')}${fields}`)
  }

  markJoinedThrough(model: string, relation: string, rows: readonly WrittenRow[]): void {
    this.#say(`markJoined ${model}.${relation} ${rows.map(textOf).join(' ')}`)
  }

  noteWrite(): void {
    if (this.#ended) throw new Error('a unit is written in after it was ended')
  }

  async fence(): Promise<void> {
    if (this.#ended) throw new Error('a unit is fenced after it was ended')
    if (!this.#affected) return
    this.#affected = false
    await this.#recorder.record(`${this.#name}fence`)
    if (this.#recorder.refusal) throw this.#recorder.refusal
  }

  async end(end: WriteEnd = 'known'): Promise<void> {
    if (this.#ended) throw new Error('a unit is ended twice')
    this.#ended = true
    if (this.#hasWrites)
      await this.#recorder.recordEnd(`${this.#name}end${end === 'known' ? '' : ' (end unknown)'}`)
  }

  #say(event: string): void {
    if (this.#ended) throw new Error('a unit is affected after it was ended')
    this.#affected = true
    this.#hasWrites = true
    this.#recorder.events.push(`${this.#name}${event}`)
  }
}

function textOf(row: WrittenRow): string {
  return JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
}
