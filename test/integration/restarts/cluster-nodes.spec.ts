import { eventually } from '../../support/eventually.js'
import { allAreHits, VersionedRows } from '../cluster/versioned-rows.js'
import { KeptCluster } from './kept-cluster.js'
import { openProcess, write } from './processes.js'

describe('a node of a cluster that starts again with its snapshot', () => {
  let cluster: KeptCluster
  const closing: (() => Promise<unknown>)[] = []

  beforeAll(async () => {
    cluster = await KeptCluster.start()
  })
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close()
  })
  afterAll(() => cluster.stop())

  it.each(['the catalogue', 'rows alone'])('has no row that was written later: one with %s', async (what) => {
    const namespace = what.replace(' ', '-')
    const database = new VersionedRows(60)
    const open = async () => {
      const opened = await openProcess(database, { client: cluster.newClient() }, { namespace })
      closing.push(opened.close)
      return opened
    }
    const first = await open()
    const second = await open()
    await eventually(() => allAreHits(first.cache, database))
    await eventually(() => allAreHits(second.cache, database))
    const withCatalogue = await cluster.placeOf(`${namespace}:{catalogue}`)
    const place =
      what === 'the catalogue' ? withCatalogue : cluster.nodes.findIndex((_, at) => at !== withCatalogue)
    await cluster.control.of(cluster.nodes[place]!).save()
    await write(first.writes, database, database.ids)
    await cluster.restart(place)
    const third = await open()
    await Promise.all([first, second, third].map((one) => one.readsOnlyCurrentRows()))
    expect([first, second, third].filter((one) => one.isOld())).toHaveLength(1)
    // All nodes are known again: nothing is loaded by another process.
    const { loaded } = database
    const fourth = await open()
    expect(await fourth.cache.getMany(database.ids)).toEqual(database.all())
    expect([database.loaded - loaded, fourth.isOld()]).toEqual([0, false])
  })
})
