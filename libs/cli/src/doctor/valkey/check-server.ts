import type { ValkeyNode } from 'model-cache/internal'
import { fault, type Finding, ok } from '../finding.js'
import type { Info } from './server-facts.js'

/** Kind and version of a server, whether it is a primary, what it does when its memory is full, and its replicas. */
export function checkServer({ name }: ValkeyNode, info: Info): readonly Finding[] {
  if (!info) return [withoutInfo(name)]
  return [versionOf(name, info), ...roleOf(name, info), ...memoryOf(name, info), ...replicasOf(name, info)]
}

function withoutInfo(name: string): Finding {
  return fault(
    'note',
    'valkey.info',
    `${name} does not let this user run INFO.`,
    'Version, eviction policy, memory and replicas are unknown, also to the start-up checks of the application.',
    'Run as an administrator: ACL SETUSER <user> +info',
  )
}

function versionOf(name: string, info: NonNullable<Info>): Finding {
  const valkey = info.get('valkey_version')
  const version = valkey ?? info.get('redis_version') ?? ''
  const kind = valkey === undefined ? 'Redis' : 'Valkey'
  // Valkey begins with 7.2, from which it was forked.
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major >= 7) return ok('valkey.version', `${name} is ${kind} ${version}, ${modeOf(info)}.`)
  if (major === 6 && minor >= 2 && info.get('cluster_enabled') !== '1')
    return fault(
      'note',
      'valkey.version',
      `${name} is ${kind} ${version}.`,
      'A single server of 6.2 has all commands that the library sends, but only the contract of its store was run there. A cluster needs Redis 7.',
      'Upgrade the server to Valkey 8 or later, or to Redis 7 or later.',
    )
  return fault(
    'error',
    'valkey.version',
    `${name} is ${kind} ${version || 'of an unknown version'}.`,
    'The library is tested with Redis 7.0 and later, and with Valkey. An older server lacks commands that it sends: below 6.2 those of scripts, ' +
      'and in a cluster below 7.0 sharded pub/sub.',
    'Upgrade the server to Valkey 8 or later, or to Redis 7 or later.',
  )
}

/** Valkey 9 has renamed the field. */
function modeOf(info: NonNullable<Info>): string {
  return info.get('server_mode') ?? info.get('redis_mode') ?? 'standalone'
}

function roleOf(name: string, info: NonNullable<Info>): Finding[] {
  if (info.get('role') !== 'slave') return [ok('valkey.role', `${name} is a primary.`)]
  const [host, port] = [info.get('master_host'), info.get('master_port')]
  return [
    fault(
      'error',
      'valkey.role',
      `${name} is a replica of ${host}:${port}.`,
      'The library bypasses a replica, because its rows lag behind: all reads go to the database.',
      `Give the address of the primary, ${host}:${port}, or Sentinels that know it (\`valkey: { sentinels, name }\`).`,
    ),
  ]
}

function memoryOf(name: string, info: NonNullable<Info>): Finding[] {
  const limit = Number(info.get('maxmemory') ?? 0)
  const policy = info.get('maxmemory_policy') ?? 'unknown'
  if (limit === 0) return [ok('valkey.eviction', `${name} has no maxmemory, and evicts nothing.`)]
  const found: Finding[] = [
    policy === 'noeviction'
      ? ok('valkey.eviction', `${name} evicts nothing (maxmemory-policy noeviction).`)
      : fault(
          'warning',
          'valkey.eviction',
          `${name} evicts keys when its memory is full (maxmemory-policy ${policy}).`,
          'It may evict the guards of rows. A row that is read during a write may then be stale until its ttl ends.',
          'CONFIG SET maxmemory-policy noeviction (managed services: the parameter group), on a server for caches alone.',
        ),
  ]
  const share = Number(info.get('used_memory') ?? 0) / limit
  if (share >= 0.9)
    found.push(
      fault(
        'warning',
        'valkey.memory',
        `${name} uses ${Math.round(share * 100)} % of its maxmemory, ${mebibytes(limit)}.`,
        'A full server stores no rows, so that reads go to the database; in mode `strict` writes fail.',
        `CONFIG SET maxmemory ${mebibytes(2 * limit).replace(' MiB', 'mb')}, shorter ttls, or fewer rows; see docs/capacity.md.`,
      ),
    )
  return found
}

function mebibytes(bytes: number): string {
  return `${Math.max(1, Math.round(bytes / 2 ** 20))} MiB`
}

/** How far a replica may lag before a failover loses noticeable writes, in seconds. */
const maxReplicaLagS = 10

function replicasOf(name: string, info: NonNullable<Info>): Finding[] {
  if (info.get('role') === 'slave') return []
  const replicas = [...info].filter(([field]) => /^slave\d+$/.test(field)).map(([, value]) => value)
  const late = replicas.filter((text) => {
    const [, state] = /\bstate=(\w+)/.exec(text) ?? []
    const [, lag] = /\blag=(-?\d+)/.exec(text) ?? []
    return state !== 'online' || Number(lag) > maxReplicaLagS
  })
  if (late.length > 0)
    return [
      fault(
        'warning',
        'valkey.replicas',
        `${late.length} of ${replicas.length} replicas of ${name} are not in sync: ${late.map(shortened).join('; ')}.`,
        'A failover to such a replica loses the last invalidations: rows may then be stale until their ttl ends.',
        'Look at the log of the replica; raise client-output-buffer-limit and repl-backlog-size if it reconnects all the time.',
      ),
    ]
  const count = `${replicas.length || 'no'} ${replicas.length === 1 ? 'replica' : 'replicas'}`
  return [ok('valkey.replicas', `${name} has ${count}.`)]
}

/** `ip=10.0.0.2,port=6379,state=online,offset=1,lag=0` without the offset. */
function shortened(text: string): string {
  return text.replace(/,offset=\d+/, '').replaceAll(',', ' ')
}
