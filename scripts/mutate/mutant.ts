export interface Mutant {
  id: string
  /** Stays the same when other files change. */
  key: string
  /** Relative to the repository. */
  file: string
  /** From 1. */
  line: number
  mutator: string
  original: string
  replacement: string
}
