import { describeOn } from '../../support/describe-databases.js'
import { eventually, eventuallyEqual } from '../../support/eventually.js'
import { createMysqlDatabase } from '../../support/mysql-database.js'
import {
  type MariadbFiles,
  type MariadbServer,
  prepareMariadb,
  startMariadb,
} from '../../support/start-mariadb.js'
import { untilTaken } from './followed-caches.js'
import { type FollowWorld, useMysqlFollowWorlds } from './follow-worlds.js'
import { followPosts } from './followed-posts.js'

const onDisk = ['--sync-binlog=1', '--innodb-flush-log-at-trx-commit=1']

describeOn(['mysql'], 'following a MariaDB', ({ name }) => {
  describe.each([
    { title: 'that may lose commits', settings: [], resumes: false },
    { title: 'that loses no commit', settings: onDisk, resumes: true },
  ])('$title', ({ resumes, settings }) => {
    let files: MariadbFiles
    let server: MariadbServer
    beforeAll(async () => {
      files = await prepareMariadb(settings)
      server = await startMariadb(files)
    })
    const openWorld = useMysqlFollowWorlds(name, () => createMysqlDatabase(server.url))
    afterAll(async () => {
      await server?.stop()
      await files?.remove()
    })

    async function followStored(world: FollowWorld) {
      const posts = await followPosts(world)
      await posts.rename('noted')
      await untilTaken(world)
      await posts.title()
      return posts
    }

    it('notices that the binlog was deleted while it is read', async () => {
      const world = await openWorld()
      const { rename, title, warnings } = await followStored(world)
      await world.sql.query('RESET MASTER')
      await rename('in another log')
      await eventuallyEqual(title, 'in another log')
      expect(warnings[0]).toMatch(/the binlog was deleted, and begins again|could not find next log/)
    })

    it(`${resumes ? 'keeps' : 'empties'} the caches when the server ends and is started again`, async () => {
      const world = await openWorld()
      const { counts, epoch, stop, title } = await followStored(world)
      await stop()
      const before = await epoch()
      // Its connections end as well.
      await world.sql.end().catch(() => {})
      await server.stop()
      server = await startMariadb(files)
      const { follower } = await world.follow()
      await eventuallyEqual(() => follower.report?.lagMs, 0)
      await eventually(async () => (await title()) === 'noted')
      if (resumes) expect(await epoch()).toBe(before)
      else await eventually(async () => (await epoch()) !== before)
      expect(counts.get('takeovers')).toBe(1)
    })
  })

  describe.each([
    { settings: ['--binlog-ignore-db=other'], replicates: false, found: 'binlog_ignore_db "other"' },
    { settings: ['--binlog-do-db=other'], replicates: false, found: 'binlog_do_db is "other"' },
    { settings: ['--server-id=2'], replicates: true, found: 'The server replicates another one' },
  ])('that was started with $settings, and does not log everything', ({ found, replicates, settings }) => {
    const started: { readonly files: MariadbFiles; readonly server: MariadbServer }[] = []
    beforeAll(async () => {
      for (const one of [settings, []]) {
        const files = await prepareMariadb(one)
        started.push({ files, server: await startMariadb(files) })
      }
    })
    const openWorld = useMysqlFollowWorlds(name, () => createMysqlDatabase(started[0]!.server.url))
    afterAll(async () => {
      for (const { files, server } of started) {
        await server.stop()
        await files.remove()
      }
    })

    it('is refused, with the reason', async () => {
      const world = await openWorld()
      if (replicates) {
        const { hostname, password, port, username } = new URL(started[1]!.server.url)
        await world.sql.query(
          `CHANGE MASTER TO MASTER_HOST = '${hostname}', MASTER_PORT = ${port}, MASTER_USER = '${username}',
             MASTER_PASSWORD = '${password}';
           START SLAVE`,
        )
        const running = "SHOW GLOBAL STATUS LIKE 'Slaves_running'"
        const count = async () => (await world.sql.query<{ Value: string }>(running)).rows[0]?.Value
        await eventuallyEqual(count, '1')
      }
      const { warnings } = await world.follow({ standsBy: true })
      await eventually(() => warnings.length > 0)
      expect(warnings[0]).toContain(found)
    })
  })
})
