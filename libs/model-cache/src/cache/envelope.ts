/**
 * What is stored for a row: a short header, then the codec's text.
 *
 * ```
 * 1;<epoch>;<created, ms since 1970, base 36>;<text>
 * ```
 */
const version = '1;'

export function sealEnvelope(epoch: string, createdMs: number, text: string): string {
  return `${version}${epoch};${createdMs.toString(36)};${text}`
}

/** @returns the codec's text; undefined when this is not an envelope; null when it is of another epoch */
export function openEnvelope(envelope: string, epoch: string): string | null | undefined {
  if (!envelope.startsWith(version)) return undefined
  const epochEnd = envelope.indexOf(';', version.length)
  const createdEnd = envelope.indexOf(';', epochEnd + 1)
  if (epochEnd < 0 || createdEnd < 0) return undefined
  if (epochEnd - version.length !== epoch.length || !envelope.startsWith(epoch, version.length)) return null
  return envelope.slice(createdEnd + 1)
}
