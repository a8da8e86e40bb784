import { compareStatements } from './compare-statements.js'
import { setIdentity } from './followed-caches.js'
import { useFollowWorlds } from './follow-worlds.js'

const openWorld = useFollowWorlds({ synchronous_commit: 'on' })

it('has no stale row or entry in any process after each statement, with ids of other columns, with replica identity FULL', async () => {
  const world = await openWorld()
  await setIdentity(world, 'full')
  await compareStatements(world, 'others')
})
