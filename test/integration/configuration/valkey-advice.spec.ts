import { jest } from '@jest/globals'
import { ModelCacheModule } from 'model-cache'
import { ValkeyStore } from 'model-cache/advanced'
import { startValkey } from '../../support/valkey-server.js'
import { ownOptions, start } from './application.js'

const startWith = async (args: string[], path = '', options = {}) => {
  const valkey = await startValkey({ args })
  const url = valkey.url.replace('://', `://${path}`)
  const { app, logger } = await start([
    ModelCacheModule.forRoot({ ...ownOptions(), valkey: { url, options } }),
  ])
  await app.close()
  await valkey.stop()
  return logger.warned
}

describe('the start warns of a Valkey', () => {
  it.each(['allkeys-lru', 'volatile-ttl'])('that may evict guards (policy %s)', async (policy) => {
    expect(await startWith(['--maxmemory', '100mb', '--maxmemory-policy', policy])).toEqual([
      expect.stringMatching(
        new RegExp(`^Valkey evicts keys .*maxmemory-policy ${policy}.*maxmemory-policy noeviction`),
      ),
    ])
  })

  it('without TLS, when TLS is configured', async () => {
    const valkey = await startValkey()
    const url = valkey.url.replace('valkey://', 'valkeys://')
    const { app, logger } = await start([
      ModelCacheModule.forRoot({ ...ownOptions(), valkey: { url, deadlineMs: 250 } }),
    ])
    expect(logger.warned).toContainEqual(
      expect.stringMatching(
        /^TLS is configured, but Valkey at 127\.0\.0\.1:\d+ does not speak TLS.*valkey:\/\/ URL/,
      ),
    )
    await app.close()
    await valkey.stop()
  })

  it("without a password, through Nest's logger", async () => {
    const printed = jest.spyOn(console, 'warn').mockImplementation(() => {})
    const warned = await startWith([], ':password@', { protocol: 2 })
    const prints = printed.mock.calls
    printed.mockRestore()
    expect(warned).toEqual([
      'Valkey requires no password, but one is configured. Remove it, or set one on the server.',
    ])
    expect(prints).toEqual([])
  })
})

describe('the start does not warn of a Valkey', () => {
  it.each([
    ['evicts nothing', ['--maxmemory', '100mb', '--maxmemory-policy', 'noeviction']],
    ['has no limit', ['--maxmemory', '0', '--maxmemory-policy', 'allkeys-lru']],
  ])('that %s', async (_, args) => {
    expect(await startWith(args)).toEqual([])
  })

  it('that does not answer, or does not allow INFO', async () => {
    const gone = new ValkeyStore({ url: 'valkey://127.0.0.1:1', deadlineMs: 50 })
    expect(await gone.advice()).toEqual([])
    await gone.close()
  })
})
