import { describeOn } from '../../support/describe-databases.js'
import { compareStatements } from './compare-statements.js'
import { useMysqlFollowWorlds } from './follow-worlds.js'

// Text is compared byte by byte.
describeOn(['mysql-binary'], 'on $name', ({ name }) => {
  const openWorld = useMysqlFollowWorlds(name)

  it('has no stale row or entry after each statement, with ids other than primary keys', async () => {
    await compareStatements(await openWorld(), 'others')
  })
})
