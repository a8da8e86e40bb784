import type { WirePlan } from './wire-plan.js'

/** What {@link Codec.decode} gives for text that it did not write: damaged, or of another shape. */
export const undecodable: unique symbol = Symbol('undecodable')
export type Undecodable = typeof undecodable

/** `record` is the faster one, `json` plain JSON. */
export type WireFormat = 'record' | 'json'

/**
 * Turns the rows of one model into text and back. Pure and synchronous.
 *
 * Promises: `decode(encode(row))` equals `row`; text that this codec did not write gives {@link undecodable}, never an
 * exception and never a part of a row; a row that does not match the schema is refused by `encode`.
 */
export interface Codec<Row> extends CodecFormat<Row>, Copier<Row> {
  /** What the schema was compiled to. */
  readonly plan: WirePlan
  readonly format: WireFormat
  /** Hash of the wire version and everything that decides the text; part of every key. */
  readonly fingerprint: string
  /**
   * Freezes the row itself with everything that its schema names, and gives it back. Setters of its dates throw; its
   * decimals are immutable anyway; its bytes stay open, since typed arrays cannot be frozen. A clone can be changed again.
   */
  freeze(row: Row): Row
  /**
   * The row in the form that {@link CodecFormat.decode} gives: keys in order and no others, values of the same classes. The row
   * itself where it has that form; a new one, which may share parts with it, where it has not. Never throws: a row whose values
   * are of other kinds than the schema says may come back as it is.
   */
  normalize(row: Row): Row
}

/** How the rows of one model are copied. A row that does not match the schema is copied in part, or makes these throw. */
export interface Copier<Row> {
  /** A copy that shares nothing mutable with the row. */
  clone(row: Row): Row
  /** So many copies, of which none shares anything mutable with another; for less than as many calls of {@link clone}. */
  cloneMany(row: Row, count: number): Row[]
}

/** How the rows of one model are written and read. */
export interface CodecFormat<Row> {
  /** @throws EncodeError naming model, path, expected and actual */
  encode(row: Row | null | undefined): string
  /**
   * A fresh row, or what stood for it: null and undefined come back as they were stored.
   *
   * @param start where the row begins in the text. @default 0
   */
  decode(text: string, start?: number): Row | null | undefined | Undecodable
  /**
   * As {@link decode}, of a text that has just arrived. Rows of records then hold a text of one byte for each character, where
   * `decode` would be given one of two bytes for the sake of a curly quote.
   *
   * @param bytes the text in UTF-8
   * @param start where the row begins, in bytes. @default 0
   */
  decodeUtf8(bytes: Buffer, start?: number): Row | null | undefined | Undecodable
}
