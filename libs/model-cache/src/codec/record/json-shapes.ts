import { FunctionWriter } from '../function-writer.js'
import { keySeparator } from './json-tags.js'

/** Number of shapes that a codec caches, a power of two. */
const maxCached = 256

/** Number of objects after which a shape gets a compiled literal; for fewer, compiling costs more than it saves. */
const compiledAfter = 200

/** Reads the next value of the record. */
interface ValueReader {
  readValue(text: string, depth: number): unknown
}

type MakeObject = (reader: ValueReader, text: string, depth: number) => object

/** A key list, and how its objects are created. */
export interface JsonShape {
  /** The serialized keys. */
  readonly list: string
  readonly keys: readonly string[]
  objects: number
  /** Creates an object with these keys from a literal. */
  make: MakeObject | undefined
}

/**
 * Cache of the shapes of one codec. A cheap function of the key list gives the slot of a shape; a new shape replaces the
 * previous one there. So data with many different shapes does not make the cache grow.
 */
export class JsonShapes {
  readonly #known = Array<JsonShape>(maxCached).fill(createShape(''))

  /** @throws TypeError if this is not a list of keys */
  of(list: string): JsonShape {
    const place = (list.length * 7 + list.charCodeAt(0) + list.charCodeAt(list.length - 1)) & (maxCached - 1)
    const known = this.#known[place]!
    return known.list === list ? known : (this.#known[place] = createShape(list))
  }
}

function createShape(text: string): JsonShape {
  // A copy: the argument is a slice that would keep the payload of its row alive.
  const list = JSON.parse(JSON.stringify(text)) as string
  const keys = list.split(keySeparator)
  // In a literal or an assignment `__proto__` is not a key.
  if (keys.includes('__proto__') || new Set(keys).size < keys.length)
    throw new TypeError('not a list of keys')
  return { list, keys, objects: 0, make: undefined }
}

/** Creates an object from the next values. */
export function makeObject(shape: JsonShape, reader: ValueReader, text: string, depth: number): object {
  if (shape.make !== undefined) return shape.make(reader, text, depth)
  if (++shape.objects === compiledAfter) shape.make = compileLiteral(shape.keys)
  const object: Record<string, unknown> = {}
  for (const key of shape.keys) object[key] = reader.readValue(text, depth)
  return object
}

/** A literal gives V8 the keys at compile time; its values are evaluated in order. */
function compileLiteral(keys: readonly string[]): MakeObject {
  const entries = keys.map((key) => `${JSON.stringify(key)}: reader.readValue(text, depth)`)
  return new FunctionWriter().line(`return { ${entries.join(', ')} }`).compile('reader, text, depth')
}
