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
  return `${startOf(fingerprint, epoch)}${digitsOf(times.createdMs)}${digitsOf(times.expiresMs)};${text}`
}

/** What all envelopes of a schema and an epoch begin with, for {@link openEnvelope}. */
export function envelopeStart(fingerprint: string, epoch: string): Buffer {
  return Buffer.from(startOf(fingerprint, epoch))
}

const startOf = (fingerprint: string, epoch: string): string => `${fingerprint};${epoch};`

/** Of one time: enough until the year 5188. */
const digits = 9

/** Said of a text that is no such envelope. */
export const notAnEnvelope = -1

/** @returns where the codec's text begins */
export function openEnvelope(envelope: Uint8Array, start: Uint8Array): number {
  for (let i = 0; i < start.length; i++) if (envelope[i] !== start[i]) return notAnEnvelope
  const textStart = start.length + 2 * digits + 1
  return envelope[textStart - 1] === semicolon ? textStart : notAnEnvelope
}

const semicolon = ';'.charCodeAt(0)

/** When an envelope was written, and when its row expires; milliseconds since 1970. */
export function timesOf(
  envelope: Buffer,
  textStart: number,
): { readonly createdMs: number; readonly expiresMs: number } {
  return { createdMs: timeAt(envelope, textStart - 2 * digits - 1), expiresMs: expiryOf(envelope, textStart) }
}

export function expiryOf(envelope: Buffer, textStart: number): number {
  return timeAt(envelope, textStart - digits - 1)
}

/** Whether a text is an envelope of a schema, of whatever epoch. */
export function isEnvelopeOf(envelope: Buffer, fingerprint: string): boolean {
  const text = envelope.toString('latin1')
  return text.startsWith(`${fingerprint};`) && text.indexOf(';', fingerprint.length + 1) > 0
}

function digitsOf(ms: number): string {
  return ms.toString(36).padStart(digits, '0')
}

function timeAt(envelope: Buffer, start: number): number {
  return Number.parseInt(envelope.toString('latin1', start, start + digits), 36)
}
