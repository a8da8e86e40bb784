import { undecodable } from '../../codec/codec.js'
import type { FreeForm } from '../../codec/free-form.js'
import type { RowCodec } from '../context.js'

/** The result of a query as a row: what it is the result of, and the result. */
export interface StoredResult {
  readonly digest: string
  readonly value: unknown
  /** As it is stored, of one that was loaded; undefined if it cannot be. */
  readonly text?: string | undefined
  /** Why there is no result, of one query among several that were loaded together. */
  readonly error?: { readonly error: unknown }
}

/** Of SHA-256 in base64url. */
const digestLength = 43

/** Begins all results: a digest may begin as a negative entry does. */
const start = '='

/** @param fingerprint of the models that are read, as this process has them */
export function createResultCodec(fingerprint: string, form: FreeForm): RowCodec<StoredResult> {
  const clone = (row: StoredResult): StoredResult => ({ ...row, value: form.copy(row.value) })
  return {
    fingerprint,
    encode: (row) => start + row!.digest + (row!.text ?? ''),
    decodeUtf8(bytes, from = 0) {
      try {
        const text = bytes.toString('utf8', from)
        if (!text.startsWith(start)) return undecodable
        const digestEnd = start.length + digestLength
        return { digest: text.slice(start.length, digestEnd), value: form.read(text.slice(digestEnd)) }
      } catch {
        return undecodable
      }
    },
    clone,
    cloneMany: (row, count) => Array.from({ length: count }, () => clone(row)),
    freeze: (row) => row,
    normalize: (row) => row,
  }
}
