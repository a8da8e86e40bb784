import { StoreError } from 'model-cache/internal'
import {
  answeringNode,
  answeringNodes,
  findingLines,
  forbidden,
} from '../../../../../test/support/answering-node.js'
import { checkRights } from './check-rights.js'

interface Acl {
  readonly commands?: RegExp
  readonly keys?: RegExp
  readonly channels?: RegExp
  readonly isCluster?: boolean
  readonly replicas?: number
}

/** What is found of a user that may not run these commands, nor access keys and channels of these names; and what it has tried. */
async function tried({ channels, commands, isCluster = false, keys, replicas = 0 }: Acl) {
  const node = answeringNode({
    ''(...words: string[]) {
      const line = words.join(' ')
      if (commands?.test(line)) return forbidden(`NOPERM this user has no permissions to run it`)
      if (/^S?(PUBLISH|SUBSCRIBE)/.test(line))
        return channels?.test(line) ? forbidden('NOPERM No permissions to access a channel') : 0
      if (keys?.test(line)) return forbidden('NOPERM No permissions to access a key')
      return new StoreError('valkey', 'MOVED 1 another:1')
    },
  })
  const listened: string[] = []
  const listening: typeof node = {
    ...node,
    listen(channel, isSharded) {
      listened.push(isSharded ? 'sharded' : 'plain')
      return node.listen(channel, isSharded)
    },
  }
  const nodes = { ...answeringNodes([listening, answeringNode({})]), isCluster }
  const findings = await checkRights({ nodes, namespace: 'shop', caches: ['users'], replicas })
  return {
    lines: findingLines(findings),
    listened,
    sent: node.sent.map((line) => line.replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, '…')),
  }
}

const rights = 'ok valkey.rights: The user app may run all commands on the keys of shop.'
const channels = 'ok valkey.channels: The user app may send and receive messages of shop.'

const own = 'shop:{doctor}:…'
const ofRows = (...wait: string[]): string[] => [
  `SET ${own} 1 PX 10000`,
  ...['GET', 'MGET', 'TYPE', 'EXISTS'].map((name) => `${name} ${own}`),
  `HGET ${own} field`,
  `HMGET ${own} field`,
  `HSET ${own} field 1`,
  `HDEL ${own} field`,
  `HINCRBY ${own} field 1`,
  `HGETALL ${own}`,
  `EVAL return 1 1 ${own}`,
  `EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 1 ${own}`,
  'TIME',
  'PING',
  ...wait,
  ...['{catalogue}', '{users}', '{users:0}'].flatMap((part) => [
    `GET shop:${part}:doctor-…`,
    `UNLINK shop:${part}:doctor-…`,
  ]),
  `UNLINK ${own}`,
  `DEL ${own}`,
]
const ofMessages = (sharded: string): string[] => [
  ...['{doctor}', '{follow}', '{users}:written'].map((part) => `${sharded}PUBLISH shop:${part}:doctor-… `),
  `${sharded}SUBSCRIBE shop:{doctor}:doctor-…`,
]

describe('checkRights', () => {
  it('tries all commands of a single server, and takes any other error for an answer', async () => {
    expect(await tried({})).toEqual({
      lines: [rights, channels],
      // Over a connection of its own: the other one could do nothing else then.
      listened: ['plain'],
      sent: [...ofRows(), ...ofMessages('')],
    })
  })

  it('tries those of a cluster, and WAIT if replicas have to acknowledge writes', async () => {
    expect(await tried({ isCluster: true, replicas: 1 })).toEqual({
      lines: [rights, channels],
      listened: ['sharded'],
      sent: [...ofRows('WAIT 0 1'), 'CLUSTER SLOTS', 'CLUSTER INFO', 'ASKING', ...ofMessages('S')],
    })
  })

  it('names the commands that are refused, as the ACL does', async () => {
    const { lines } = await tried({ commands: /./, isCluster: true, replicas: 1 })
    const all =
      'set, get, mget, type, exists, hget, hmget, hset, hdel, hincrby, hgetall, eval, evalsha, time, ping, wait, unlink, del, ' +
      'cluster|slots, cluster|info, asking'
    const granted = all.split(', ').map((right) => `+${right}`)
    expect(lines).toEqual([
      `error valkey.rights: The user app may not run ${all}. → ACL SETUSER app ${granted.join(' ')} (on every node)`,
      'warning valkey.channels: The user app may not run spublish, ssubscribe. → ' +
        'ACL SETUSER app +spublish +ssubscribe +sunsubscribe (on every node)',
    ])
  })

  it('names both at once', async () => {
    expect((await tried({ commands: /^HGETALL/, keys: /catalogue/ })).lines).toEqual([
      'error valkey.rights: The user app may not run hgetall, and may not access the keys shop:{catalogue}*. → ' +
        'ACL SETUSER app +hgetall ~shop:*',
      channels,
    ])
  })

  it('names the keys that scripts are refused', async () => {
    expect((await tried({ keys: /^EVAL/ })).lines[0]).toBe(
      'error valkey.rights: The user app may not access the keys shop:{doctor}*. → ACL SETUSER app ~shop:*',
    )
  })

  it.each(['HGETALL', 'SUBSCRIBE'])('does not know the rights if nothing answers %s', async (name) => {
    const late = new StoreError('valkey', `${name} took too long`, 'E_STORE_TIMEOUT')
    const nodes = answeringNodes([answeringNode({ [name]: late })])
    await expect(checkRights({ nodes, namespace: 'shop', caches: [], replicas: 0 })).rejects.toBe(late)
  })
})
