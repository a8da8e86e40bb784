import { randomBytes } from 'node:crypto'

/**
 * What is stored for a row: a header, then the codec's text.
 *
 * ```
 * <fingerprint>;<epoch>;<created, ms since 1970, base 36, nine digits>;<text>
 * ```
 *
 * The fingerprint stands in the key as well. In the value it tells one that was copied here from elsewhere.
 */
export function sealEnvelope(fingerprint: string, epoch: string, createdMs: number, text: string): string {
  return `${envelopeStart(fingerprint, epoch)}${createdMs.toString(36).padStart(createdDigits, '0')};${text}`
}

/** What all envelopes of a schema and an epoch begin with, for {@link openEnvelope}. */
export function envelopeStart(fingerprint: string, epoch: string): string {
  return `${fingerprint};${epoch};`
}

/** Enough until the year 5188. */
const createdDigits = 9

/** Said of a text that is no such envelope. */
export const notAnEnvelope = -1

/** @returns where the codec's text begins */
export function openEnvelope(envelope: string, start: string): number {
  const textStart = start.length + createdDigits + 1
  return envelope.startsWith(start) && envelope[textStart - 1] === ';' ? textStart : notAnEnvelope
}

/** Whether a text is an envelope of a schema, of whatever epoch. */
export function isEnvelopeOf(envelope: string, fingerprint: string): boolean {
  return envelope.startsWith(`${fingerprint};`) && envelope.indexOf(';', fingerprint.length + 1) > 0
}

/** A word that has not been an epoch before. */
export function newEpoch(): string {
  return randomBytes(9).toString('base64url')
}
