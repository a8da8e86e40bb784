import 'reflect-metadata'
import { mountedApi, mountedPage, routeFurtherPaths } from './mount.js'

const mount = { path: 'admin', guards: [], imports: [] }

describe('the controllers of an inspector', () => {
  it('have the names of their classes in logs and metrics', () => {
    expect(mountedApi(mount).name).toBe('InspectorApi')
    expect(mountedPage(mount).name).toBe('InspectorPage')
  })

  it.each([
    ['fastify', '*'],
    ['express', '{*rest}'],
  ])('have a route for further paths in the notation of %s', (platform, wildcard) => {
    const page = mountedPage(mount)
    routeFurtherPaths(page, platform)
    expect(Reflect.getMetadata('path', page.prototype.file)).toBe(wildcard)
    // Another inspector of the process has routes of its own.
    expect(Reflect.getMetadata('path', mountedPage(mount).prototype.file)).toBeUndefined()
  })
})
