import { join } from 'node:path'
import { type AuctionServer, startAuction } from '../../e2e/auction-server.js'
import { untilFollowed } from '../../e2e/follow.js'
import { createDemoDatabase } from '../../support/demo-database.js'
import { type PostgresServer, startPostgres } from '../../support/postgres-server.js'
import { valkeyUrl } from '../../support/servers.js'
import { faultsIn, findingOf, useCommandLine } from './command-line.js'

const ROOT = join(import.meta.dirname, '../../..')

const { diagnose } = useCommandLine()

/** Latency depends on what this machine does besides. */
const args = ['--follow', '--deadline-ms', '60000']

describe('on the demo, the doctor finds neither errors nor warnings', () => {
  describe('with the settings of docker-compose.yml', () => {
    let postgres: PostgresServer
    let server: AuctionServer

    beforeAll(async () => {
      const settings = { wal_level: 'logical', max_slot_wal_keep_size: '1GB', statement_timeout: '8s' }
      postgres = await startPostgres(settings)
      server = await startAuction({}, { createDatabase: () => createDemoDatabase(postgres.url) })
      await untilFollowed(server)
    })
    afterAll(async () => {
      await server?.close()
      await postgres?.stop()
    })

    it('while it runs', async () => {
      const { cacheNamespace, databaseUrl } = server.config
      const servers = ['--valkey', valkeyUrl(), '--database', databaseUrl!, '--namespace', cacheNamespace]
      const diagnosis = await diagnose([...servers, ...args], { cwd: ROOT })
      expect(faultsIn(diagnosis)).toEqual([])
      expect(diagnosis.code).toBe(0)
      for (const id of ['caches.listed', 'follow.running', 'postgres.publication', 'project.prisma-version'])
        expect(findingOf(diagnosis, id).severity).toBe('ok')
    })
  })

  it('without servers, as after a clone', async () => {
    const diagnosis = await diagnose(args, { cwd: ROOT })
    expect(faultsIn(diagnosis)).toEqual([])
    expect(findingOf(diagnosis, 'valkey.url').severity).toBe('note')
    expect(findingOf(diagnosis, 'postgres.url').severity).toBe('note')
  })
})
