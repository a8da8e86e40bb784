import type { ScenarioRows } from '../scenarios.ts'

/** What a strategy is opened for. */
export interface StrategyEnvironment {
  /** A `redis://` URL, of an empty database. */
  readonly url: string
  readonly scenario: ScenarioRows
}

/** A strategy in its own process, connected, with all rows of the scenario stored. */
export interface OpenStrategy {
  /** One row, as a resolver asks for it. */
  get(id: string): Promise<unknown>
  /** Brings rows into the memory of the process, least recently used first; only of strategies that have one. */
  remember?(ids: readonly string[]): Promise<void>
  /** Milliseconds from text to rows, and reads answered from memory, since the last call. */
  take(): { readonly parseMs: number; readonly memoryHits: number }
  close(): Promise<void>
}

export interface Strategy {
  readonly name: string
  /** What to know before comparing. */
  readonly note: string
  /** Whether it has a memory of rows, so that the hit rate matters. */
  readonly hasMemory: boolean
  readonly needsSimdjson: boolean
  open(environment: StrategyEnvironment): Promise<OpenStrategy>
}
