import type { CatalogueListing, ListedProcesses } from 'model-cache/internal'
import { findingLines } from '../../../../../test/support/answering-node.js'
import { checkCaches } from './check-caches.js'
import { checkDatabases } from './check-databases.js'

type Listed = CatalogueListing['caches'][number]
const cache = (name: string, isKnown = true): Listed =>
  ({ name, description: isKnown ? {} : undefined }) as Listed

describe('checkCaches', () => {
  const listed = 'ok caches.listed: The namespace shop has the caches users, orders.'
  it.each([
    ['none', [], '1', ['note caches.none: The namespace shop has no caches. →']],
    ['two, one of them in two layouts', [cache('users'), cache('orders'), cache('users')], '1', [listed]],
    [
      'two without an epoch',
      [cache('users'), cache('orders')],
      undefined,
      [
        listed,
        'warning caches.epoch: The catalogue of shop has lost its epoch. → Restart one process; see valkey.eviction.',
      ],
    ],
    [
      'one that another version has described, too',
      [cache('users'), cache('orders'), cache('users', false)],
      '1',
      [
        listed,
        'warning caches.version: Another version of model-cache has described users. → Deploy one version of model-cache everywhere.',
      ],
    ],
  ])('of a namespace with caches: %s', (_, caches, epoch, expected) => {
    const lines = findingLines(checkCaches({ caches, epoch }, 'shop'))
    expect(lines).toEqual(expected.map((line) => expect.stringContaining(line)))
  })
})

describe('checkDatabases', () => {
  const running = (name: string, host: string, isRunning = true) => ({ entry: { name, host }, isRunning })
  it.each([
    [[], []],
    [[running('a', 'x', false)], []],
    [
      [running('a', 'x'), running('a', 'y'), running('b', 'z', false)],
      ['ok caches.databases: The processes of shop read a.'],
    ],
    [
      [running('a', 'x'), running('b', 'z'), running('a', 'y'), running('a', 'x')],
      [
        'error caches.databases: The processes of shop read different databases: a on x, y; b on z. → ' +
          'Give each database a namespace of its own, in ModelCacheModule.forRoot.',
      ],
    ],
  ])('of the processes %j', (processes, expected) => {
    const listed = { processes, handedOverMs: 0 } as unknown as ListedProcesses
    expect(findingLines(checkDatabases(listed, 'shop'))).toEqual(expected)
  })
})
