import { EventLoopError } from './errors.js'
import { registerPackage, verifyPackages } from './loaded-packages.js'

/** Packages that a process has loaded. */
function processWith(...packages: readonly [name: string, version: string, place: string][]) {
  const loaded: { name: string; version: string; at: string }[] = []
  for (const [name, version, place] of packages)
    registerPackage(
      name,
      version,
      Object.assign(new Error(), { stack: `Error\n    at ${place}\n    at node:x` }),
      loaded,
    )
  return loaded
}
const eventLoop = (version: string, place: string) => ['@model-cache/event-loop', version, place] as const
const core = ['model-cache', '0.1.0', 'file:///app/node_modules/model-cache/index.js:7:1'] as const

describe('the packages of a process', () => {
  it('may be loaded once each, in one version, and evaluated again', () => {
    const place = 'file:///app/node_modules/event-loop/a.js:1:1'
    expect(() => verifyPackages(processWith())).not.toThrow()
    expect(() =>
      verifyPackages(processWith([...core], [...eventLoop('0.1.0', place)], [...eventLoop('0.1.0', place)])),
    ).not.toThrow()
  })

  it('are refused as copies of one version, with their places and the remedy', () => {
    const loaded = processWith(
      [...core],
      [...eventLoop('0.1.0', '/a.js:1:1')],
      [...eventLoop('0.1.0', '/b.js:1:1')],
    )
    expect(() => verifyPackages(loaded)).toThrow(EventLoopError)
    expect(() => verifyPackages(loaded)).toThrow(
      expect.objectContaining({
        code: 'E_DUPLICATE_PACKAGE',
        message: expect.stringMatching(
          /@model-cache\/event-loop 0\.1\.0 at \/a\.js:1:1, @model-cache\/event-loop 0\.1\.0 at \/b\.js:1:1\. .*`npm ls model-cache @model-cache\/event-loop`/,
        ) as string,
      }),
    )
  })

  it('are refused in several versions', () => {
    const loaded = processWith([...core], [...eventLoop('0.2.0', '/a.js:1:1')])
    expect(() => verifyPackages(loaded)).toThrow('model-cache 0.1.0 at file:///app/')
  })

  it('are noted beside all copies of this module', async () => {
    const copies = (globalThis as Record<symbol, unknown>)[Symbol.for('model-cache.packages')]
    await import('./nest/event-loop.tokens.js')
    expect(copies).toBe((globalThis as Record<symbol, unknown>)[Symbol.for('model-cache.packages')] ?? copies)
    expect(() => verifyPackages()).not.toThrow()
  })
})
