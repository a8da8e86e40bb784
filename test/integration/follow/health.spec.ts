import { ModelCacheModule } from 'model-cache'
import { type Follow, followElsewhere } from '@model-cache/follow'
import { FollowHealthIndicator, ModelCacheHealthModule } from 'model-cache/terminus'
import { eventually } from '../../support/eventually.js'
import { patientMs } from '../../support/patience.js'
import { ownOptions, start } from '../configuration/application.js'
import { type FollowWorld, useFollowWorlds } from './follow-worlds.js'

const openWorld = useFollowWorlds()
const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const app of opened.splice(0)) await app.close()
})

/** Starts an application, and returns what its indicator says. */
async function openHealth(
  { namespace, valkey }: Pick<FollowWorld, 'namespace' | 'valkey'>,
  follow?: Follow,
): Promise<() => object> {
  const { app } = await start([
    ModelCacheModule.forRoot({
      ...ownOptions(),
      valkey: { url: valkey.url, deadlineMs: patientMs },
      namespace,
      ...(follow && { follow }),
    }),
    ModelCacheHealthModule,
  ])
  opened.push(app)
  return () => app.get(FollowHealthIndicator).isHealthy('follow')
}

describe('FollowHealthIndicator', () => {
  it('is up where nobody should follow', async () => {
    const health = await openHealth(await openWorld())
    expect(health()).toEqual({ follow: { status: 'up', follow: 'off' } })
  })

  it('is down while nobody follows, and up with the lag while another process does', async () => {
    const world = await openWorld()
    const health = await openHealth(world, followElsewhere())
    const down = { follow: { status: 'down', reason: 'nobody follows the database' } }
    expect(health()).toEqual(down)

    const follower = await world.follow()
    const lag = { lagMs: expect.any(Number), lagBytes: expect.any(Number) }
    await eventually(() => 'lagMs' in (health() as { follow: object }).follow)
    expect(health()).toEqual({ follow: { status: 'up', ...lag } })

    await follower.stop()
    await eventually(() => !('lagMs' in (health() as { follow: object }).follow))
    expect(health()).toEqual(down)
  })
})
