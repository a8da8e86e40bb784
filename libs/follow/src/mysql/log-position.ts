/** A place in the binlog: a file, and the offset of a byte in it. */
export interface LogPlace {
  readonly file: string
  readonly offset: number
}

/** The distance between files: more than the largest offset in one. */
const fileSpan = 1n << 40n

/** A place as a number that grows with the log: files are numbered, `binlog.000012`. */
export function positionOf({ file, offset }: LogPlace): bigint {
  return BigInt(/\d+$/.exec(file)?.[0] ?? 0) * fileSpan + BigInt(offset)
}

/**
 * Returns how much of the log is between two positions. Of files between them it is not known how large they are: about as large as one may
 * become.
 *
 * @param fileBytes `max_binlog_size`
 */
export function bytesBetween(from: bigint, to: bigint, fileBytes: number): number {
  const files = Number(to / fileSpan - from / fileSpan)
  return Math.max(0, files * fileBytes + Number(to % fileSpan) - Number(from % fileSpan))
}

/**
 * What is noted of a transaction, to go on with it: where it is, and its first event, which no other history of the log has there. And the
 * server, as a replica of MariaDB may have the same event at the same place, and lack what came later.
 */
export function placeText({ file, offset }: LogPlace, bytes: Buffer, server: string): string {
  return JSON.stringify([file, offset, bytes.toString('base64'), server])
}

/** What {@link placeText} was given. */
export interface NotedPlace extends LogPlace {
  readonly bytes: Buffer
  readonly server: string
}

/** @returns undefined for a text that is no place */
export function placeIn(text: string): NotedPlace | undefined {
  try {
    const [file, offset, bytes, server] = JSON.parse(text) as readonly unknown[]
    if (typeof file !== 'string' || typeof offset !== 'number') return undefined
    if (typeof bytes !== 'string' || typeof server !== 'string') return undefined
    return { file, offset, bytes: Buffer.from(bytes, 'base64'), server }
  } catch {
    return undefined
  }
}
