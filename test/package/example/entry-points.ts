/** Every published entry point: its types must stand alone, and importing it must need no test runner. */
import * as codec from 'model-cache/codec'
import * as terminus from 'model-cache/terminus'
import * as testing from 'model-cache/testing'

for (const [name, entryPoint] of Object.entries({ codec, terminus, testing })) {
  if (Object.keys(entryPoint).length === 0) throw new Error(`model-cache/${name} exports nothing`)
}
