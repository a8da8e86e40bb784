import { undecodable } from '../../codec/codec.js'
import type { FreeForm } from '../../codec/free-form.js'
import type { RecordForm, RecordForms } from '../../codec/record-forms.js'
import type { RowCodec } from '../context.js'

/** The result of a query as a row: what it is the result of, and the result. */
export interface StoredResult {
  readonly digest: string
  readonly value: unknown
  /** How it is written; undefined in free form. */
  readonly form?: RecordForm | undefined
  /** As it is stored, of one that was loaded; undefined if it cannot be. */
  readonly text?: string | undefined
}

/** How results are written. */
export interface ResultForms {
  readonly free: FreeForm
  readonly records: RecordForms
}

/** The length of a SHA-256 digest in base64url. */
const digestLength = 43

/** Begins all results: a digest may begin as a negative entry does. */
const start = '='
/** Begins what is written as a record, behind the digest. */
const recordStart = '~'
/** The length of the name of a record's form, which follows `recordStart`. */
const printLength = 11

/** Returns the text of a value, and how it is written; no text for a value that cannot be read again. */
export function writeResult(
  value: unknown,
  { free }: ResultForms,
  form: RecordForm | undefined,
): Pick<StoredResult, 'text' | 'form'> {
  const record = form?.write(value)
  if (record === undefined) return { text: free.write(value) }
  return { text: recordStart + form!.print + record, form }
}

/** @param fingerprint of the models that are read, as this process has them */
export function createResultCodec(fingerprint: string, forms: ResultForms): RowCodec<StoredResult> {
  const clone = (row: StoredResult): StoredResult => ({
    ...row,
    value: row.form ? row.form.copy(row.value) : forms.free.copy(row.value),
  })
  return {
    fingerprint,
    encode: (row) => start + row!.digest + (row!.text ?? ''),
    decodeUtf8(bytes, from = 0) {
      try {
        const digestEnd = from + start.length + digestLength
        const head = bytes.toString('latin1', from, digestEnd + recordStart.length + printLength)
        if (!head.startsWith(start)) return undecodable
        const digest = head.slice(start.length, start.length + digestLength)
        if (head[start.length + digestLength] !== recordStart)
          return { digest, value: forms.free.read(bytes.toString('utf8', digestEnd)) }
        const form = forms.records.named(head.slice(-printLength))
        const value = form?.read(bytes, digestEnd + recordStart.length + printLength)
        return form && value !== undecodable ? { digest, value, form } : undecodable
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
