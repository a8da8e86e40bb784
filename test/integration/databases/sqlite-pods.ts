/** What sqlite-pods.deep.spec.ts and its processes share. */

export interface PodSettings {
  readonly path: string
  readonly valkeyUrl: string
  /** Whether its client is not extended. It has no cache then. */
  readonly isPlain: boolean
}

/** A row and its version, and when it was read at the earliest, or committed at the latest: milliseconds of the machine's clock. */
export type Seen = readonly [name: string, version: number, atMs: number]

export interface PodReport {
  readonly reads: Seen[]
  readonly writes: Seen[]
  /** Writes that were tried. */
  attempts: number
  /** How many failed, by code. */
  readonly errors: Record<string, number>
}

/** Rows of three groups. */
export const names: readonly string[] = ['a', 'b', 'c'].flatMap((group) =>
  [1, 2, 3, 4, 5].map((n) => `${group}${n}`),
)

export const tables = `
PRAGMA journal_mode = WAL;
CREATE TABLE "Blob" (hash BLOB PRIMARY KEY, name TEXT NOT NULL UNIQUE, size INTEGER NOT NULL DEFAULT 0);
${names.map((name, i) => `INSERT INTO "Blob" VALUES (X'${(i + 16).toString(16)}', '${name}', 1);`).join('\n')}`
