/** A file of CommonJS. What it requires must be what others import: a process has one instance of each class, token and storage. */
import assert = require('node:assert')
import modelCache = require('model-cache')

const entryPoints = [
  'advanced',
  'arktype',
  'codec',
  'event-loop',
  'follow',
  'inspector',
  'terminus',
  'testing',
]

async function compare(): Promise<void> {
  const imported = await import('model-cache')
  assert.equal(modelCache.ModelCacheError, imported.ModelCacheError)
  for (const name of ['model-cache', ...entryPoints.map((path) => `model-cache/${path}`)]) {
    assert.equal(require(name), await import(name), `${name} exists twice`)
  }
}

void compare()
