export type Severity = 'error' | 'warning' | 'note' | 'ok'

/** What a check of the doctor found. */
export interface Finding {
  /** Stable, for programs: `valkey.eviction`. The part before the dot is the group. */
  readonly id: string
  /**
   * `error`: something does not work, or rows may be wrong. `warning`: the same under a condition. `note`: worth knowing. `ok`: as it
   * should be.
   */
  readonly severity: Severity
  /** What is the case. Never a password, a row or a secret. */
  readonly found: string
  /** What follows from it. Without `ok`. */
  readonly meaning?: string
  /** The command or the edit that mends it. */
  readonly remedy?: string
}

export const ok = (id: string, found: string): Finding => ({ id, severity: 'ok', found })

/** Something that is not as it should be. */
export function fault(
  severity: Exclude<Severity, 'ok'>,
  id: string,
  found: string,
  meaning: string,
  remedy?: string,
): Finding {
  return { id, severity, found, meaning, ...(remedy !== undefined && { remedy }) }
}
