/** One question to /livez, and how it was answered. */
export interface Probe {
  /** When it was due, in milliseconds since 1970. */
  readonly dueAt: number
  /** From then until the answer, or until it was given up. */
  readonly latencyMs: number
  /** Whether the answer was 200. */
  readonly ok: boolean
}
