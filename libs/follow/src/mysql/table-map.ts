import { ByteReader } from './byte-reader.js'
import { columnTypes as t, columnValues, type ColumnShape, type ColumnValues } from './column-values.js'

/** A table as the log describes it before changes of its rows. */
export interface MappedTable {
  /** The database that it is in. */
  readonly schema: string
  readonly name: string
  /** Undefined if its rows cannot be read. */
  readonly columns: readonly MappedColumn[] | undefined
}

export interface MappedColumn extends ColumnValues {
  readonly name: string
  readonly type: number
}

/**
 * Reads the description of a table, behind its number and its flags.
 *
 * @param charsets by the number of a collation
 * @param ofMariadb whether MariaDB has written it
 */
export function readTableMap(
  reader: ByteReader,
  charsets: ReadonlyMap<number, string>,
  ofMariadb: boolean,
): MappedTable {
  const schema = reader.text(reader.uint(1))
  reader.skip(1)
  const name = reader.text(reader.uint(1))
  reader.skip(1)
  const types = [...reader.bytes(reader.length())]
  const shapes = readShapes(reader.bytes(reader.length()), types)
  reader.skip(Math.ceil(types.length / 8))
  if (!shapes) return { schema, name, columns: undefined }
  const { charsetOf, isUnsigned, names, valuesOf } = readMetadata(reader, shapes, ofMariadb)
  const columns = shapes.map((shape, i) => {
    const collation = charsetOf.get(i)
    const column: ColumnShape = {
      ...shape,
      isUnsigned: isUnsigned.has(i),
      charset: collation === undefined ? undefined : charsets.get(collation),
      values: valuesOf.get(i),
    }
    const values = columnValues(column)
    return values && names[i] !== undefined ? { name: names[i], type: shape.type, ...values } : undefined
  })
  return { schema, name, columns: columns.every((column) => column !== undefined) ? columns : undefined }
}

type Shape = Pick<ColumnShape, 'type' | 'meta'>

/** @returns undefined if a type is unknown */
function readShapes(meta: Buffer, types: readonly number[]): Shape[] | undefined {
  const shapes: Shape[] = []
  let at = 0
  for (const type of types) {
    const size = metaBytes[type]
    if (size === undefined) return undefined
    const [first = 0, second = 0] = meta.subarray(at, at + size)
    at += size
    if (type === t.string) shapes.push(stringShape(first, second))
    else if (type === t.varchar || type === t.varcharCompressed)
      shapes.push({ type, meta: [first + 256 * second, 0] })
    else shapes.push({ type, meta: [first, second] })
  }
  return shapes
}

/** ENUM and SET are stored as strings, and two bits of the length of a string in the byte of its type. */
function stringShape(first: number, second: number): Shape {
  if (first === t.enum || first === t.set) return { type: first, meta: [0, second] }
  const length = (first & 0x30) === 0x30 ? second : second | (((first & 0x30) ^ 0x30) << 4)
  return { type: t.string, meta: [length, 0] }
}

const metaBytes: Readonly<Record<number, number>> = {
  [t.tiny]: 0,
  [t.short]: 0,
  [t.medium]: 0,
  [t.long]: 0,
  [t.longLong]: 0,
  [t.date]: 0,
  [t.year]: 0,
  [t.float]: 1,
  [t.double]: 1,
  [t.timestamp]: 1,
  [t.datetime]: 1,
  [t.time]: 1,
  [t.blob]: 1,
  [t.blobCompressed]: 1,
  [t.geometry]: 1,
  [t.json]: 1,
  [t.vector]: 1,
  [t.varchar]: 2,
  [t.varcharCompressed]: 2,
  [t.varString]: 2,
  [t.string]: 2,
  [t.bit]: 2,
  [t.decimal]: 2,
}

const numbers = new Set<number>([
  t.tiny,
  t.short,
  t.medium,
  t.long,
  t.longLong,
  t.decimal,
  t.float,
  t.double,
  t.year,
])
const strings = new Set<number>([
  t.varchar,
  t.varString,
  t.string,
  t.blob,
  t.varcharCompressed,
  t.blobCompressed,
])

/** What `binlog_row_metadata = FULL` adds, by the indexes of columns. */
function readMetadata(reader: ByteReader, shapes: readonly Shape[], ofMariadb: boolean) {
  const indexesOf = (test: (type: number) => boolean): number[] =>
    shapes.flatMap(({ type }, i) => (test(type) ? [i] : []))
  // Each of the servers lists a character set, that of bytes, for another type as well.
  const listed = ofMariadb ? t.geometry : t.vector
  const ofStrings = indexesOf((type) => strings.has(type) || type === listed)
  const ofChoices = indexesOf((type) => type === t.enum || type === t.set)
  const isUnsigned = new Set<number>()
  const charsetOf = new Map<number, number>()
  const names: string[] = []
  const valuesOf = new Map<number, readonly Buffer[]>()
  while (reader.left > 0) {
    const kind = reader.uint(1)
    const field = reader.bytes(reader.length())
    const part = new ByteReader(field)
    if (kind === 1) {
      // One bit for each number, the highest one first.
      for (const [bit, i] of indexesOf((type) => numbers.has(type)).entries())
        if ((field[bit >> 3]! << (bit & 7)) & 0x80) isUnsigned.add(i)
    } else if (kind === 2 || kind === 10) {
      const columns = kind === 2 ? ofStrings : ofChoices
      const usual = part.length()
      for (const i of columns) charsetOf.set(i, usual)
      while (part.left > 0) charsetOf.set(columns[part.length()]!, part.length())
    } else if (kind === 3 || kind === 11) {
      for (const i of kind === 3 ? ofStrings : ofChoices) charsetOf.set(i, part.length())
    } else if (kind === 4) {
      while (part.left > 0) names.push(part.text(part.length()))
    } else if (kind === 6) {
      for (const i of indexesOf((type) => type === t.enum))
        valuesOf.set(
          i,
          Array.from({ length: part.length() }, () => part.bytes(part.length())),
        )
    }
  }
  return { isUnsigned, charsetOf, names, valuesOf }
}
