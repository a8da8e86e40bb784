import type { WriteCoordinator, WriteEnd, WriteUnit, WrittenRow } from 'model-cache'

/** Records what it is told as lines, `touch GuestUser {"id":"g"}`, each with what `look` sees at that moment. */
export class RecordingCoordinator implements WriteCoordinator {
  readonly events: string[] = []
  /** The id fields of the caches of each model. */
  caches: Record<string, string[][]> = {}
  /** What somebody else sees of the database. */
  look: () => Promise<unknown> = async () => undefined
  /** Set to have fences fail. */
  refusal: Error | undefined
  /** The client of the innermost transaction callback that is running. */
  scope: object | undefined
  #units = 0

  idFieldsOf(model: string): readonly (readonly string[])[] {
    return this.caches[model] ?? []
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

  /** What has been recorded since the last call, and how many units began. */
  take(): string[] {
    this.#units = 0
    return this.events.splice(0)
  }
}

class RecordingUnit implements WriteUnit {
  readonly #recorder: RecordingCoordinator
  readonly #name: string
  #touched = false
  /** Units that touch nothing are not worth a line. */
  #isWorthTelling = false
  #settled = false

  constructor(recorder: RecordingCoordinator, number: number) {
    this.#recorder = recorder
    this.#name = number === 1 ? '' : `${number}: `
  }

  get isFenced(): boolean {
    return !this.#touched
  }

  touch(model: string, rows: readonly WrittenRow[]): void {
    this.#say(`touch ${model} ${rows.map((row) => JSON.stringify(row)).join(' ')}`)
  }

  touchAll(model: string, reason: string): void {
    this.#say(`touch all ${model}: ${reason}`)
  }

  touchCreated(model: string, reason: string): void {
    this.#say(`touch created ${model}: ${reason}`)
  }

  noteWrite(): void {
    if (this.#settled) throw new Error('a unit is written in after it was settled')
  }

  async fence(): Promise<void> {
    if (this.#settled) throw new Error('a unit is fenced after it was settled')
    if (!this.#touched) return
    this.#touched = false
    await this.#recorder.record(`${this.#name}fence`)
    if (this.#recorder.refusal) throw this.#recorder.refusal
  }

  async settle(end: WriteEnd = 'known'): Promise<void> {
    if (this.#settled) throw new Error('a unit is settled twice')
    this.#settled = true
    if (this.#isWorthTelling)
      await this.#recorder.record(`${this.#name}settle${end === 'known' ? '' : ' (end unknown)'}`)
  }

  #say(event: string): void {
    if (this.#settled) throw new Error('a unit is touched after it was settled')
    this.#touched = true
    this.#isWorthTelling = true
    this.#recorder.events.push(`${this.#name}${event}`)
  }
}
