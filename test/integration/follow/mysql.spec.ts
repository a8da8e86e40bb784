import { setTimeout as sleep } from 'node:timers/promises'
import { builtLibrary } from '../../support/build-library.js'
import { describeOn } from '../../support/describe-databases.js'
import { eventually, eventuallyEqual } from '../../support/eventually.js'
import { startValkey, type ValkeyServer } from '../../support/valkey-server.js'
import { diagnose } from '../doctor/command-line.js'
import { defineWithLookups } from '../lookups/posts.js'
import { endOfBinlog, untilTaken } from './followed-caches.js'
import { useMysqlFollowWorlds } from './follow-worlds.js'
import { followPosts, openPosts } from './followed-posts.js'
import { startFollowerProcess } from './follower-process.js'
import { openSettings } from './settings.js'

describeOn(['mysql'], 'following $name', ({ name }) => {
  const openWorld = useMysqlFollowWorlds(name)
  let otherValkey: ValkeyServer
  let library: string

  beforeAll(async () => {
    ;[otherValkey, library] = await Promise.all([startValkey(), builtLibrary()])
  }, 60_000)
  afterAll(() => otherValkey.stop())

  it('resumes where the last follower has stopped, without emptying the caches', async () => {
    const world = await openWorld()
    const { epoch, rename, stop, title } = await followPosts(world)
    await rename('noted')
    await untilTaken(world)
    await stop()
    const before = await epoch()
    await rename('meanwhile')
    const second = await world.follow()
    await eventuallyEqual(title, 'meanwhile')
    expect(await epoch()).toBe(before)
    expect(second.warnings).toEqual([])
  })

  it('empties the caches, and says so, when the log was purged', async () => {
    const world = await openWorld()
    const { rename, stop, title } = await followPosts(world)
    await rename('noted')
    await untilTaken(world)
    await stop()
    await rename('purged')
    await world.sql.query('FLUSH BINARY LOGS')
    const { File: last } = await endOfBinlog(world)
    await eventually(async () => {
      await world.sql.query(`PURGE BINARY LOGS TO '${last}'`)
      return (await world.sql.query<{ Log_name: string }>('SHOW BINARY LOGS')).rows.length === 1
    })
    const second = await world.follow()
    expect(await title()).toBe('purged')
    expect(second.warnings).toEqual([expect.stringContaining('it has been purged')])
  })

  it('empties the caches when the log has another transaction where it was', async () => {
    const world = await openWorld()
    const { rename, stop, title } = await followPosts(world)
    await rename('noted')
    await untilTaken(world)
    await stop()
    // As that of a server which was restored from a backup, and has gone on.
    const [key] = await world.admin.keys(`${world.namespace}:{follow}:log:*`)
    const note = await world.admin.get(key!)
    await world.admin.set(key!, note!.replace(/(place":"\[[^\]]*?\\",\d+,\\")..../, '$1AAAA'))
    await rename('of another history')
    const second = await world.follow()
    expect(await title()).toBe('of another history')
    expect(second.warnings).toEqual([expect.stringContaining('another server has taken its place')])
  })

  it('has a stand-by take over from a leader that hangs', async () => {
    const world = await openWorld()
    const { rename, title } = await openPosts(world)
    const leader = startFollowerProcess(world, library)
    try {
      await eventuallyEqual(() => leader.said.takeovers, 1)
      const { counts } = await world.follow({ standsBy: true })
      await title()
      leader.child.kill('SIGSTOP')
      await rename('in the gap')
      await eventuallyEqual(() => counts.get('takeovers'), 1)
      await eventuallyEqual(title, 'in the gap')
      // It learns that it follows no more, and stands by.
      leader.child.kill('SIGCONT')
      await eventuallyEqual(() => leader.said.warnings.length, 1)
      expect([counts.get('takeovers'), leader.said.takeovers]).toEqual([1, 1])
    } finally {
      leader.child.kill('SIGKILL')
    }
  })

  it('lets applications with a Valkey each follow side by side', async () => {
    const world = await openWorld()
    const one = await openPosts(world)
    const other = await openPosts(world, otherValkey.url)
    const first = await world.follow()
    const second = await world.follow({ valkeyUrl: otherValkey.url })
    // Longer than it takes to depose a follower that gives no sign of life.
    await sleep(4_500)
    expect([first.counts.get('takeovers'), second.counts.get('takeovers')]).toEqual([1, 1])
    await one.rename('seen by both')
    await eventuallyEqual(one.title, 'seen by both')
    await eventuallyEqual(other.title, 'seen by both')
  })

  it('says what to run for a user that may not read the log', async () => {
    const world = await openWorld()
    await openPosts(world)
    await world.sql.query(`DROP USER IF EXISTS poor; CREATE USER poor IDENTIFIED BY 'secret'`)
    await world.sql.query(`GRANT SELECT ON *.* TO poor`)
    const url = new URL(world.databaseUrl)
    Object.assign(url, { username: 'poor', password: 'secret' })
    const { warnings } = await world.follow({ url: url.href, standsBy: true })
    await eventually(() => warnings.length > 0)
    expect(warnings[0]).toContain('GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO')
    await world.sql.query(`GRANT REPLICATION CLIENT ON *.* TO poor`)
    await eventually(() => warnings.length > 1)
    expect(warnings[1]).toContain('GRANT REPLICATION SLAVE ON *.* TO')
  })

  it('is what the doctor checks, with a user that may see the log and with one that may not', async () => {
    const world = await openWorld()
    await openPosts(world)
    const faultsOf = async (url: string) => {
      const { findings } = await diagnose([
        '--database',
        url,
        '--valkey',
        world.valkey.url,
        '--namespace',
        world.namespace,
        '--follow',
      ])
      return findings.flatMap(({ id, severity }) => (id.startsWith('mysql') ? [`${severity} ${id}`] : []))
    }
    expect(await faultsOf(world.databaseUrl)).toEqual(['ok mysql.reachable', 'ok mysql.binlog'])
    await world.sql.query(`DROP USER IF EXISTS blind; CREATE USER blind IDENTIFIED BY 'secret'`)
    await world.sql.query(`GRANT CREATE ON ${new URL(world.databaseUrl).pathname.slice(1)}.* TO blind`)
    await world.sql.query(`RENAME TABLE "Post" TO hidden`)
    const url = Object.assign(new URL(world.databaseUrl), { username: 'blind', password: 'secret' })
    try {
      const faults = await faultsOf(url.href)
      expect(faults).toEqual(['ok mysql.reachable', 'error mysql.role', 'warning mysql.table'])
    } finally {
      await world.sql.query(`RENAME TABLE hidden TO "Post"`)
    }
  })

  it('invalidates a row by the id that is stored, where other spellings find it', async () => {
    const world = await openWorld()
    const lists = { ofColour: { by: 'colour', fold: 'case' } }
    const { caches } = await world.openPod({ labels: defineWithLookups<never>('Label', { lists }) })
    const labels = caches.labels as unknown as {
      get(name: string): Promise<{ colour: string } | null>
      list(name: string, key: string): Promise<object[]>
    }
    const colours = () => Promise.all(['l1', 'L1'].map(async (label) => (await labels.get(label))?.colour))
    const green = async () => (await labels.list('ofColour', 'GREEN')).length
    expect(await green()).toBe(0)
    await colours()
    await world.follow({ caches: 1 })
    await colours()
    await world.sql.query(`UPDATE "Label" SET colour = 'green' WHERE name = 'L1 '`)
    await eventuallyEqual(colours, ['green', 'green'])
    expect(await green()).toBe(1)
  })

  it('invalidates a row by its text, and no others, also beside a geometry', async () => {
    const world = await openWorld()
    await world.sql.query('ALTER TABLE "Label" ADD COLUMN place POINT FIRST')
    try {
      const { caches } = await world.openPod({ labels: defineWithLookups<never>('Label', {}) })
      const labels = caches.labels as unknown as {
        get(name: string): Promise<{ readonly colour: string } | null>
        explain(name: string): Promise<{ readonly epoch: string | null }>
      }
      const colour = async () => (await labels.get('L1'))?.colour
      const epoch = async () => (await labels.explain('L1')).epoch
      await colour()
      await world.follow({ caches: 1 })
      await colour()
      const before = await epoch()
      await world.sql.query(`UPDATE "Label" SET place = POINT(1, 2), colour = 'blue' WHERE name = 'L1'`)
      await eventuallyEqual(colour, 'blue')
      expect(await epoch()).toBe(before)
    } finally {
      await world.sql.query('ALTER TABLE "Label" DROP COLUMN place')
    }
  })

  it.each([
    ['was added meanwhile', (statement: string) => statement],
    ['a comment has added', (statement: string) => `/*!40000 ${statement} */`],
  ])('expands cascades of a foreign key that %s', async (_, run) => {
    const world = await openWorld()
    await world.sql.query(
      `DROP TABLE IF EXISTS parents; CREATE TABLE parents (id INT PRIMARY KEY); INSERT INTO parents SELECT id FROM "Setting"`,
    )
    const { key } = await openSettings(world)
    await world.follow({ caches: 1 })
    await world.sql.query(
      run(
        `ALTER TABLE "Setting" ADD CONSTRAINT added FOREIGN KEY (id) REFERENCES parents (id) ON DELETE CASCADE`,
      ),
    )
    await untilTaken(world)
    expect(await key()).toBeDefined()
    await world.sql.query('DELETE FROM parents')
    await eventuallyEqual(key, undefined)
    await world.sql.query(`ALTER TABLE "Setting" DROP FOREIGN KEY added`)
  })

  it('expands cascades that lead through other databases', async () => {
    const world = await openWorld()
    const other = `${new URL(world.databaseUrl).pathname.slice(1)}_other`
    await world.sql.query(
      `CREATE DATABASE ${other}; CREATE TABLE ${other}.grandparents (id INT PRIMARY KEY);
       CREATE TABLE ${other}.parents (id INT PRIMARY KEY, FOREIGN KEY (id) REFERENCES ${other}.grandparents (id) ON DELETE CASCADE);
       INSERT INTO ${other}.grandparents SELECT id FROM "Setting"; INSERT INTO ${other}.parents SELECT id FROM "Setting";
       ALTER TABLE "Setting" ADD CONSTRAINT far FOREIGN KEY (id) REFERENCES ${other}.parents (id) ON DELETE CASCADE`,
    )
    try {
      const { key } = await openSettings(world)
      await world.follow({ caches: 1 })
      expect(await key()).toBeDefined()
      await world.sql.query(`DELETE FROM ${other}.grandparents`)
      await eventuallyEqual(key, undefined)
    } finally {
      await world.sql.query(`ALTER TABLE "Setting" DROP FOREIGN KEY far; DROP DATABASE ${other}`)
    }
  })

  it.each([
    [
      'renames another table to its name',
      `CREATE TABLE other LIKE "Setting"; INSERT INTO other (id, "key") VALUES (1, 'renamed');
       RENAME TABLE "Setting" TO old, other TO "Setting"; DROP TABLE old`,
    ],
    ['truncates it', 'TRUNCATE "Setting"'],
    [
      'alters it',
      `ALTER TABLE "Setting" CHANGE "key" old VARCHAR(191) NOT NULL, ADD COLUMN "key" VARCHAR(191) NOT NULL DEFAULT 'altered'`,
    ],
  ])('notices a statement that %s', async (_, statement) => {
    const world = await openWorld()
    const { key } = await openSettings(world)
    const { follower } = await world.follow({ caches: 1 })
    const before = await key()
    await world.sql.query(statement)
    await untilTaken(world)
    const { rows } = await world.sql.query<{ key: string }>('SELECT "key" FROM "Setting" WHERE id = 1')
    expect(rows[0]?.key).not.toBe(before)
    expect(await key()).toBe(rows[0]?.key)
    expect(follower.report?.caches.length).toBe(1)
  })
})
