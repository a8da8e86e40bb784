import type { ScenarioRows } from './scenarios.ts'

export interface StrategyEnvironment {
  /** A `redis://` URL of an empty database. */
  readonly url: string
  readonly scenario: ScenarioRows
}

/** A strategy in its own process, connected, with all rows of the scenario stored. */
export interface OpenStrategy {
  /** Reads one row, as a resolver does. */
  get(id: string): Promise<unknown>
  /** Brings rows into the memory layer, least recently used first; only of strategies that have one. */
  remember?(ids: readonly string[]): Promise<void>
  /** Milliseconds from text to rows, and reads answered from memory, since the last call. */
  take(): { readonly parseMs: number; readonly memoryHits: number }
  close(): Promise<void>
}

export interface Strategy {
  readonly name: string
  /** What to know before comparing. */
  readonly note: string
  readonly needsSimdjson: boolean
  open(environment: StrategyEnvironment): Promise<OpenStrategy>
}
