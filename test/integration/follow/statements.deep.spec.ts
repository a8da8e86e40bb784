import { describeOn } from '../../support/describe-databases.js'
import { compareStatements } from './compare-statements.js'
import { setIdentity } from './followed-caches.js'
import { useFollowWorlds, useMysqlFollowWorlds } from './follow-worlds.js'

const openWorld = useFollowWorlds({ synchronous_commit: 'on' })

it('has no stale row or entry after each statement, with replica identity FULL and ids other than primary keys', async () => {
  const world = await openWorld()
  await setIdentity(world, 'full')
  await compareStatements(world, 'others')
})

describeOn(['mysql', 'mysql-binary'], 'on $name', ({ name }) => {
  const openMysqlWorld = useMysqlFollowWorlds(name)

  it('has no stale row or entry after each statement', async () => {
    await compareStatements(await openMysqlWorld(), 'identity')
  })
})

// Text is compared byte by byte, so that the order of ids is that of JavaScript.
describeOn(['mysql-binary'], 'on $name', ({ name }) => {
  const openMysqlWorld = useMysqlFollowWorlds(name)

  it('has no stale row or entry after each statement, with ids other than primary keys', async () => {
    await compareStatements(await openMysqlWorld(), 'others')
  })
})
