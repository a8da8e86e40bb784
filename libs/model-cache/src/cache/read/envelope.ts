/**
 * What is stored for a row: a header, then the codec's text.
 *
 * ```
 * <fingerprint>;<epoch>;<created><expires><length>;<text>
 * ```
 *
 * Both times are milliseconds since 1970 in nine digits of base 36. The length of the text, in as many, is in bytes: what has lost
 * some is no envelope, even where its text could be read. What has expired may still be stored, as grace for when
 * the source fails. The fingerprint stands in the key as well; in the value it tells one that was copied here from elsewhere.
 */
export function sealEnvelope(
  fingerprint: string,
  epoch: string,
  times: { readonly createdMs: number; readonly expiresMs: number },
  text: string,
): string {
  const { createdMs, expiresMs } = times
  const numbers = digitsOf(createdMs) + digitsOf(expiresMs) + digitsOf(Buffer.byteLength(text))
  return `${startOf(fingerprint, epoch)}${numbers};${text}`
}

/** What all envelopes of a schema and an epoch begin with, for {@link openEnvelope}. Without an epoch nothing that is stored counts. */
export function envelopeStart(fingerprint: string, epoch: string | null): Buffer {
  return epoch === null ? noStart : Buffer.from(startOf(fingerprint, epoch))
}

/** What no envelope begins with. */
const noStart = Buffer.from('\0')

const startOf = (fingerprint: string, epoch: string): string => `${fingerprint};${epoch};`

/** Of one number: enough for times until the year 5188. */
const digits = 9

/** Of all numbers, with the semicolon behind them. */
const numbersLength = 3 * digits + 1

/** @returns where the codec's text begins; less than 0 where this is no such envelope, 0 where it is a damaged one */
export function openEnvelope(envelope: Uint8Array, start: Uint8Array): number {
  for (let i = 0; i < start.length; i++) if (envelope[i] !== start[i]) return -1
  const textStart = start.length + numbersLength
  if (envelope[textStart - 1] !== semicolon) return 0
  return numberAt(envelope, textStart - 1 - digits) === envelope.length - textStart ? textStart : 0
}

const semicolon = ';'.charCodeAt(0)

/** Without a text of the digits, which would have to be made for each row. */
function numberAt(envelope: Uint8Array, start: number): number {
  let number = 0
  // From `a` on, which is 97, letters are the digits from 10 on.
  for (let i = start; i < start + digits; i++) {
    const code = envelope[i]!
    number = number * 36 + code - (code < 97 ? 48 : 87)
  }
  return number
}

/** When an envelope was written, and when its row expires; milliseconds since 1970. */
export function timesOf(
  envelope: Buffer,
  textStart: number,
): { readonly createdMs: number; readonly expiresMs: number } {
  const createdMs = numberAt(envelope, textStart - numbersLength)
  return { createdMs, expiresMs: expiryOf(envelope, textStart) }
}

export function expiryOf(envelope: Buffer, textStart: number): number {
  return numberAt(envelope, textStart - numbersLength + digits)
}

/** Whether a text is an envelope of a schema, of whatever epoch. */
export function isEnvelopeOf(envelope: Buffer, fingerprint: string): boolean {
  const start = `${fingerprint};`
  return (
    envelope.toString('latin1', 0, start.length) === start && envelope.indexOf(semicolon, start.length) > 0
  )
}

function digitsOf(number: number): string {
  return number.toString(36).padStart(digits, '0')
}
