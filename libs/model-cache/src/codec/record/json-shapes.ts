import { FunctionWriter } from '../function-writer.js'
import { keySeparator } from './json-tags.js'

/** Shapes that a codec remembers; a power of two. */
const maxCached = 256

/** Objects that are made of keys and values before a literal is compiled; code for fewer costs more than it saves. */
const compiledAfter = 200

/** Reads the next value of the text that is being read. */
interface ValueReader {
  readValue(text: string, depth: number): unknown
}

type MakeObject = (reader: ValueReader, text: string, depth: number) => object

/** A key list of objects, and how these are made. */
export interface JsonShape {
  /** The keys as the writer writes them. */
  readonly list: string
  readonly keys: readonly string[]
  objects: number
  /** A literal with these keys. */
  make: MakeObject | undefined
}

/**
 * The shapes of one codec. Each has one place, that its list gives without being hashed; another that comes there takes
 * it. So data of ever new shapes makes it forget, not grow.
 */
export class JsonShapes {
  readonly #known = Array<JsonShape>(maxCached).fill(createShape(''))

  /** @throws TypeError when this is no list of keys */
  of(list: string): JsonShape {
    const place = (list.length * 7 + list.charCodeAt(0) + list.charCodeAt(list.length - 1)) & (maxCached - 1)
    const known = this.#known[place]!
    return known.list === list ? known : (this.#known[place] = createShape(list))
  }
}

function createShape(text: string): JsonShape {
  // A text of its own: the other is a slice that keeps the text of its row.
  const list = JSON.parse(JSON.stringify(text)) as string
  const keys = list.split(keySeparator)
  // In a literal, and assigned, `__proto__` is not a key.
  if (keys.includes('__proto__') || new Set(keys).size < keys.length)
    throw new TypeError('not a list of keys')
  return { list, keys, objects: 0, make: undefined }
}

/** Makes an object of the values that come next. */
export function makeObject(shape: JsonShape, reader: ValueReader, text: string, depth: number): object {
  if (shape.make !== undefined) return shape.make(reader, text, depth)
  if (++shape.objects === compiledAfter) shape.make = compileLiteral(shape.keys)
  const object: Record<string, unknown> = {}
  for (const key of shape.keys) object[key] = reader.readValue(text, depth)
  return object
}

/** In a literal the keys are known to V8, and their values are read in the order in which they stand. */
function compileLiteral(keys: readonly string[]): MakeObject {
  const entries = keys.map((key) => `${JSON.stringify(key)}: reader.readValue(text, depth)`)
  return new FunctionWriter().line(`return { ${entries.join(', ')} }`).compile('reader, text, depth')
}
