import type { WirePlan } from './wire-plan.js'

export { copyByValue } from './copy-by-value.js'

/** The result of {@link Codec.decode} for a payload that the codec did not write: damaged, or of another shape. */
export const undecodable: unique symbol = Symbol('undecodable')
export type Undecodable = typeof undecodable

/** `record` is the faster format, `json` is plain JSON. */
export type WireFormat = 'record' | 'json'

/**
 * Serializes the rows of one model and reads them back. Synchronous.
 *
 * `decode(encode(row))` equals `row`. A payload that this codec did not write decodes to {@link undecodable}, never to an
 * exception or a partial row. `encode` refuses a row that does not match the schema.
 */
export interface Codec<Row> extends RowFunctions<Row> {
  /** The compiled schema. */
  readonly plan: WirePlan
  readonly format: WireFormat
  /** Hash of the wire version and everything that determines the payload; part of every key. */
  readonly fingerprint: string
  /**
   * Proves the codec on rows generated from its plan, which takes some milliseconds, unless that has been done: the first call
   * of any other function does it as well. If the proof fails, `encode` throws the error from then on, the other functions read no
   * payload, and rows are copied by their values instead of the plan.
   *
   * @throws ConfigurationError naming the path that changed
   */
  prove(): void
}

/** What a codec does with rows. Each function is compiled when it is first called. */
export interface RowFunctions<Row> extends CodecFormat<Row>, Copier<Row> {
  /**
   * Deep-freezes a row in place and returns it. Setters of its dates throw; decimals are immutable anyway; bytes stay
   * mutable, since typed arrays cannot be frozen. A clone is mutable again.
   */
  freeze(row: Row): Row
  /**
   * Returns the row in the form that `decode` returns: exactly the keys of the schema, in order, and values
   * of the same classes. This is the row itself if it has that form and is not frozen, otherwise a new object that may share
   * parts with it. Never throws: a row that does not match the schema may be returned unchanged.
   */
  normalize(row: Row): Row
}

/** Copies rows of one model. A row that does not match the schema is copied in part, or the call throws. */
export interface Copier<Row> {
  /** Returns a copy that shares nothing mutable with the row. */
  clone(row: Row): Row
  /** Returns `count` independent copies, for less than as many calls of {@link clone}. */
  cloneMany(row: Row, count: number): Row[]
}

/** Encodes and decodes rows of one model. */
export interface CodecFormat<Row> extends Decoder<Row> {
  /** @throws ModelCacheError (`E_ENCODE`) naming model, path, expected and actual type */
  encode(row: Row | null | undefined): string
}

/** Decodes rows of one model. */
export interface Decoder<Row> {
  /**
   * Returns a new row, or null or undefined if that was encoded.
   *
   * @param start index of the first character of the row in the payload. @default 0
   */
  decode(payload: string, start?: number): Row | null | undefined | Undecodable
  /**
   * Like {@link decode}, from UTF-8. Rows in the record format then keep a string of one byte per character alive, where one
   * curly quote would make the argument of `decode` a string of two bytes per character.
   *
   * @param bytes the payload in UTF-8
   * @param start index of the first byte of the row. @default 0
   */
  decodeUtf8(bytes: Buffer, start?: number): Row | null | undefined | Undecodable
}
