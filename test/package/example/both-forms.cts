/** A file of CommonJS. What it requires must be what others import: a process has one instance of each class, token and storage. */
import assert = require('node:assert')
import modelCache = require('model-cache')

const entryPoints = [
  '@model-cache/event-loop',
  '@model-cache/event-loop/internal',
  '@model-cache/follow',
  '@model-cache/follow/internal',
  'model-cache',
  'model-cache/advanced',
  'model-cache/arktype',
  'model-cache/codec',
  '@model-cache/inspector',
  'model-cache/terminus',
  'model-cache/testing',
]

async function compare(): Promise<void> {
  const imported = await import('model-cache')
  assert.equal(modelCache.ModelCacheError, imported.ModelCacheError)
  for (const name of entryPoints) {
    assert.equal(require(name), await import(name), `${name} exists twice`)
  }
}

void compare()
