/** One request to /livez. */
export interface Probe {
  /** When the request was due, in milliseconds since 1970. */
  readonly dueAt: number
  /** Milliseconds from `dueAt` until the response or the timeout. */
  readonly latencyMs: number
  /** Whether the status was 200. */
  readonly ok: boolean
}
