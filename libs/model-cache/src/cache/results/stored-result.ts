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

/** @param fingerprint of the models that are read, as this process has them */
export function createResultCodec(fingerprint: string, form: FreeForm): RowCodec<StoredResult> {
  const clone = (row: StoredResult): StoredResult => ({ ...row, value: form.copy(row.value) })
  return {
    fingerprint,
    encode: (row) => row!.digest + (row!.text ?? ''),
    decodeUtf8(bytes, start = 0) {
      try {
        const text = bytes.toString('utf8', start)
        return { digest: text.slice(0, digestLength), value: form.read(text.slice(digestLength)) }
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
