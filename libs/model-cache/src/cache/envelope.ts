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

/** What all envelopes of a schema and an epoch begin with, for {@link openEnvelope}. Without an epoch nothing that is stored counts. */
export function envelopeStart(fingerprint: string, epoch: string | null): Buffer {
  return epoch === null ? noStart : Buffer.from(startOf(fingerprint, epoch))
}

/** What no envelope begins with. */
const noStart = Buffer.from('\0')

const startOf = (fingerprint: string, epoch: string): string => `${fingerprint};${epoch};`

/** Of one time: enough until the year 5188. */
const digits = 9

/** @returns where the codec's text begins, or less than 0 where this is no such envelope */
export function openEnvelope(envelope: Uint8Array, start: Uint8Array): number {
  for (let i = 0; i < start.length; i++) if (envelope[i] !== start[i]) return -1
  const textStart = start.length + 2 * digits + 1
  return envelope[textStart - 1] === semicolon ? textStart : -1
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
  const start = `${fingerprint};`
  return (
    envelope.toString('latin1', 0, start.length) === start && envelope.indexOf(semicolon, start.length) > 0
  )
}

function digitsOf(ms: number): string {
  return ms.toString(36).padStart(digits, '0')
}

function timeAt(envelope: Buffer, start: number): number {
  return Number.parseInt(envelope.toString('latin1', start, start + digits), 36)
}
