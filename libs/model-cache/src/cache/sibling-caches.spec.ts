import type { CacheDescription, CacheListing, NamespaceCaches, WrittenCache } from '../protocol/index.js'
import { Siblings } from './sibling-caches.js'

const described = (more: Partial<CacheDescription> = {}) =>
  ({
    name: 'Lot',
    id: [{ name: 'id', kind: 'string' }],
    lookups: [{ name: 'ofHouse', fingerprint: 'f', key: [{ name: 'house', kind: 'string' }], watched: [] }],
    ...more,
  }) as unknown as CacheDescription
const listed = (layout: string, description?: CacheDescription) =>
  ({ layout, description, fences: layout }) as unknown as WrittenCache

it('are the caches of the same name in another layout, and have the same ids or not', () => {
  const own = { description: described(), layout: 'Lot:own' }
  const all = [
    listed('Lot:own', described()),
    listed('Lots:other', described({ name: 'Lots' })),
    listed('Lot:encrypted', described()),
    listed('Lot:newer'),
    listed('Lot:by number', described({ id: [{ name: 'id', kind: 'number' }] })),
    listed('Lot:without lists', described({ lookups: [] })),
  ]
  const siblings = (lookup?: string) =>
    new Siblings({ all } as unknown as NamespaceCaches, own as unknown as CacheListing, lookup).all
  const ofRows = siblings().map(({ fences, hasSameIds }) => [fences, hasSameIds])
  expect(ofRows).toEqual([
    ['Lot:encrypted', true],
    ['Lot:newer', false],
    ['Lot:by number', false],
    ['Lot:without lists', true],
  ])
  const ofEntries = siblings('ofHouse').map(({ hasSameIds }) => hasSameIds)
  expect(ofEntries).toEqual([true, false, true, false])
})
