/** What takeover.spec.ts starts: a follower in a process of its own, which can be stopped and killed. */
import { builtEntry } from '../../support/build-library.ts'
import { patientMs } from '../../support/patience.ts'
const { DATABASE_URL, LIBRARY, NAMESPACE, VALKEY_URL } = process.env
const { followMysql, followPostgres, ModelCacheFollower } = (await import(
  builtEntry(LIBRARY!, '@model-cache/follow')
)) as typeof import('@model-cache/follow')
const { ValkeyStore } = (await import(
  builtEntry(LIBRARY!, 'model-cache/advanced')
)) as typeof import('model-cache/advanced')

const store = new ValkeyStore({ url: VALKEY_URL!, deadlineMs: patientMs })
await store.connect()
const follower = new ModelCacheFollower({
  store,
  namespace: NAMESPACE!,
  follow: (DATABASE_URL!.startsWith('mysql') ? followMysql : followPostgres)({ url: DATABASE_URL! }),
  warn: (message) => process.send!({ warning: message }),
  observer: { events() {}, lagSeconds() {}, takeovers: () => process.send!({ takeover: true }) },
})
await follower.start()
