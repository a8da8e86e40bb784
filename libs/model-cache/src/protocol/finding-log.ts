import type { CatalogueFinding } from './backend/store.js'
import type { OperatorLog } from './operator-log.js'

/** Tells operators what checks of the store's servers find. */
export function findingLog(
  namespace: string,
  fenceMs: number,
  log: OperatorLog,
): (finding: CatalogueFinding) => void {
  let isUnknown = false
  const store = `ModelCache: the store of namespace "${namespace}"`
  const emptied =
    `Nothing that was stored before counts any more. Rows come from the database, and are stored again in ${fenceMs / 1_000} s. ` +
    'You need not do anything.'
  return (finding) => {
    if (finding === 'old') {
      log.warn(
        `${store} came back with old data: a server started from a snapshot, a log that was cut or a backup, or took the place of a ` +
          `server without its last writes. ${emptied}`,
      )
    } else if (finding === 'empty') log.warn(`${store} came back empty: its server was restarted. ${emptied}`)
    else if (finding === 'unknown' && !isUnknown) {
      isUnknown = true
      log.warn(
        `${store} does not say when its server was started, because INFO is forbidden or hidden. If it is started with old data, this ` +
          'process does not notice, and may serve outdated rows until their ttl ends. Allow its user INFO. Where a provider hides it, ' +
          'have the server start empty, or delete the keys of the namespace after a restart.',
      )
    }
  }
}
