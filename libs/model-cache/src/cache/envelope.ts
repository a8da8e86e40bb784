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

/** Said of a text that is no envelope, and of one that is of another epoch. */
export const notAnEnvelope = -1
export const ofAnotherEpoch = -2

/** @returns where the codec's text begins, or why there is none */
export function openEnvelope(envelope: string, epoch: string): number {
  if (!envelope.startsWith(version)) return notAnEnvelope
  const epochEnd = envelope.indexOf(';', version.length)
  const createdEnd = envelope.indexOf(';', epochEnd + 1)
  if (epochEnd < 0 || createdEnd < 0) return notAnEnvelope
  const isCurrent = epochEnd - version.length === epoch.length && envelope.startsWith(epoch, version.length)
  return isCurrent ? createdEnd + 1 : ofAnotherEpoch
}
