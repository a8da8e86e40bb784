/**
 * A marker stands for the rows of one value of a field until one of them is written, or a row is given the value:
 *
 * ```
 * <fingerprint>;<existence epoch>;<epoch>
 * ```
 *
 * It counts under the existence epoch of its register, as a write to rows whose values are unknown ends all of them. The store generates
 * its own epoch, which never comes back.
 */
export function markerStart(fingerprint: string, existence: string): string {
  return `${fingerprint};${existence};`
}

/** The epoch of a marker; undefined for a value that begins otherwise. */
export function markerEpoch(value: Buffer | string | null | undefined, start: string): string | undefined {
  const text = typeof value === 'string' ? value : value?.toString('latin1')
  return text?.startsWith(start) ? text.slice(start.length) : undefined
}
