import type { ValkeyNode } from 'model-cache/internal'
import { fault, type Finding, ok } from '../finding.js'
import { type Info, settingOf } from './server-facts.js'

const nothingOnDisk = "CONFIG SET save '' and CONFIG SET appendonly no"

/** What a server keeps on its disk, and so may come back with after a restart. */
export async function checkPersistence(node: ValkeyNode, info: Info): Promise<readonly Finding[]> {
  const { name } = node
  const points = await settingOf(node, 'save')
  const log = info?.get('aof_enabled') ?? (await settingOf(node, 'appendonly'))?.replace('yes', '1')
  const kept = [
    ...(points ? [`snapshots (save ${points})`] : []),
    // This server does not say when it saves, but has saved.
    ...(points === undefined && Number(info?.get('rdb_saves') ?? 0) > 0 ? ['snapshots'] : []),
    ...(log === '1' ? ['an append-only file'] : []),
  ]
  const isKnown = points !== undefined && log !== undefined
  if (kept.length === 0 && isKnown) return [ok('valkey.persistence', `${name} keeps nothing on its disk.`)]
  const found = kept.length > 0 ? `${name} keeps on its disk: ${kept.join(', ')}.` : undefined
  return [
    info
      ? colder(found ?? `${name} may keep snapshots: this user may not run CONFIG GET.`)
      : blind(name, found),
  ]
}

function colder(found: string): Finding {
  return fault(
    'note',
    'valkey.persistence',
    found,
    'What a server has after a restart may be old, so the caches do not use it: they begin empty, and store nothing for `fenceMs`. Saving warms up nothing.',
    `${nothingOnDisk}, and the same in its configuration, on a server for caches alone.`,
  )
}

function blind(name: string, found = `${name} may keep its data on its disk`): Finding {
  return fault(
    'warning',
    'valkey.persistence',
    `${found.replace(/\.$/, '')}, and does not let this user run INFO.`,
    'Processes cannot tell that it has started again. Rows that its disk had may then be stale until their ttl ends, also in mode `strict`.',
    `ACL SETUSER <user> +info; or ${nothingOnDisk}`,
  )
}
