import { FunctionWriter } from '../function-writer.js'
import { maxShapeKeyLength, maxShapeKeys } from './json-tags.js'

/** Shapes that a codec remembers. */
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
  /** The keys as JSON, as the writer writes them. */
  readonly list: string
  readonly keys: readonly string[]
  objects: number
  /** A literal with these keys. */
  make: MakeObject | undefined
}

/** The shapes of one codec, by key list. Data of ever new shapes makes it forget, not grow. */
export class JsonShapes {
  readonly #known = new Map<string, JsonShape>()
  #table = ''
  #shapes: readonly JsonShape[] = []

  /** @throws TypeError when this is no table of key lists */
  ofTable(table: string): readonly JsonShape[] {
    // Most rows have the shapes of the row before.
    if (table === this.#table) return this.#shapes
    this.#shapes =
      table === '' ? [] : table.split('\n').map((list) => this.#known.get(list) ?? this.#add(list))
    // Not the table itself, which is a slice that keeps the text of its row.
    this.#table = this.#shapes.map(({ list }) => list).join('\n')
    return this.#shapes
  }

  #add(list: string): JsonShape {
    const shape = createShape(list)
    if (this.#known.size === maxCached) this.#known.clear()
    this.#known.set(shape.list, shape)
    return shape
  }
}

function createShape(text: string): JsonShape {
  const keys = JSON.parse(text) as readonly unknown[]
  // A text of its own; see above.
  const list = JSON.stringify(keys)
  if (list !== text || !isKeyList(keys)) throw new TypeError('not a list of keys')
  return { list, keys, objects: 0, make: undefined }
}

function isKeyList(keys: readonly unknown[]): keys is readonly string[] {
  return (
    Array.isArray(keys) &&
    keys.length <= maxShapeKeys &&
    new Set(keys).size === keys.length &&
    // In a literal, and assigned, `__proto__` is not a key.
    keys.every((key) => typeof key === 'string' && key.length <= maxShapeKeyLength && key !== '__proto__')
  )
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
