/**
 * What is stored for a row: a header, then the codec's text.
 *
 * ```
 * <fingerprint>;<epoch>;<created><expires>;<text>
 * ```
 *
 * Both times are milliseconds since 1970 in nine digits of base 36. What has expired may still be stored, as grace for when
 * the source fails. The fingerprint stands in the key as well; in the value it tells one that was copied here from elsewhere.
 */
export function sealEnvelope(
  fingerprint: string,
  epoch: string,
  times: { readonly createdMs: number; readonly expiresMs: number },
  text: string,
): string {
  return `${envelopeStart(fingerprint, epoch)}${digitsOf(times.createdMs)}${digitsOf(times.expiresMs)};${text}`
}

/** What all envelopes of a schema and an epoch begin with, for {@link openEnvelope}. */
export function envelopeStart(fingerprint: string, epoch: string): string {
  return `${fingerprint};${epoch};`
}

/** Of one time: enough until the year 5188. */
const digits = 9

/** Said of a text that is no such envelope. */
export const notAnEnvelope = -1

/** @returns where the codec's text begins */
export function openEnvelope(envelope: string, start: string): number {
  const textStart = start.length + 2 * digits + 1
  // To compare a slice costs a quarter of `startsWith`.
  return envelope.slice(0, start.length) === start && envelope[textStart - 1] === ';'
    ? textStart
    : notAnEnvelope
}

/** When an envelope was written, and when its row expires; milliseconds since 1970. */
export function timesOf(
  envelope: string,
  textStart: number,
): { readonly createdMs: number; readonly expiresMs: number } {
  return { createdMs: timeAt(envelope, textStart - 2 * digits - 1), expiresMs: expiryOf(envelope, textStart) }
}

export function expiryOf(envelope: string, textStart: number): number {
  return timeAt(envelope, textStart - digits - 1)
}

/** Whether a text is an envelope of a schema, of whatever epoch. */
export function isEnvelopeOf(envelope: string, fingerprint: string): boolean {
  return envelope.startsWith(`${fingerprint};`) && envelope.indexOf(';', fingerprint.length + 1) > 0
}

function digitsOf(ms: number): string {
  return ms.toString(36).padStart(digits, '0')
}

function timeAt(envelope: string, start: number): number {
  return Number.parseInt(envelope.slice(start, start + digits), 36)
}
