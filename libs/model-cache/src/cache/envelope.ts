/**
 * What is stored for a row: a short header, then the codec's text.
 *
 * ```
 * <fingerprint>;<epoch>;<created, ms since 1970, base 36>;<text>
 * ```
 *
 * The fingerprint stands in the key as well. In the value it tells one that was copied here from elsewhere.
 */
export function sealEnvelope(fingerprint: string, epoch: string, createdMs: number, text: string): string {
  return `${fingerprint};${epoch};${createdMs.toString(36)};${text}`
}

/** Said of a text that is no envelope of this schema, and of one that is of another epoch. */
export const notAnEnvelope = -1
export const ofAnotherEpoch = -2

/** @returns where the codec's text begins, or why there is none */
export function openEnvelope(envelope: string, fingerprint: string, epoch: string): number {
  const epochStart = fingerprint.length + 1
  if (!envelope.startsWith(fingerprint) || envelope[fingerprint.length] !== ';') return notAnEnvelope
  const epochEnd = envelope.indexOf(';', epochStart)
  const createdEnd = envelope.indexOf(';', epochEnd + 1)
  if (epochEnd < 0 || createdEnd < 0) return notAnEnvelope
  const isCurrent = epochEnd - epochStart === epoch.length && envelope.startsWith(epoch, epochStart)
  return isCurrent ? createdEnd + 1 : ofAnotherEpoch
}
