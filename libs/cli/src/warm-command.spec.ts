import { eventually } from '../../../test/support/eventually.js'
import { FakeServer } from '../../../test/support/fake-server.js'
import { UsageError } from './command.js'
import { warmCommand } from './warm-command.js'

/** No server listens there. */
const target = ['--valkey', 'valkey://127.0.0.1:1']
const other = 'valkey://127.0.0.1:2'

const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  warmCommand.run(args, { line: () => {}, folder: '.', environment })

describe('warmCommand', () => {
  it.each([
    ['no source', [], {}, /^Usage: model-cache warm/],
    ['an empty source', ['--from', ''], {}, /^Usage: model-cache warm/],
    ['an empty variable', [], { FROM_VALKEY_URL: '' }, /^Usage: model-cache warm/],
    ['its own namespace', ['--from', 'shop', '--namespace', 'shop'], {}, /is the namespace "shop" itself/],
    ['its own server', ['--from', target[1]!], {}, /is the namespace "mc" itself/],
    [
      'a server without a scheme',
      ['--from', 'cache.eu:6379', '--from-namespace', 'shop'],
      {},
      /^--from is "cache.eu:6379", which is no URL/,
    ],
    [
      'its own server and namespace',
      ['--from', target[1]!, '--from-namespace', 'shop', '--namespace', 'shop'],
      {},
      /is the namespace "shop" itself/,
    ],
    [
      'no rows',
      ['--from', 'shop', '--rows', '0'],
      {},
      /^--rows is "0"; expected an integer from 1 to 1000000/,
    ],
    ['too many rows', ['--from', 'shop', '--rows', '1000001'], {}, /^--rows is "1000001"/],
    ['no rate', ['--from', 'shop', '--per-second', '0'], {}, /^--per-second is "0"/],
    ['too high a rate', ['--from', 'shop', '--per-second', '100001'], {}, /^--per-second is "100001"/],
  ])('refuses %s', async (_, args, environment, message) => {
    const running = run([...args, ...target], environment)
    await expect(running).rejects.toThrow(UsageError)
    await expect(running).rejects.toThrow(message)
  })

  it.each([
    ['a URL', ['--from', other], {}, 2],
    ['the environment', [], { FROM_VALKEY_URL: other }, 2],
    ['an option before the environment', ['--from', other], { FROM_VALKEY_URL: 'shop' }, 2],
    ['another namespace of the same server', ['--from', 'shop'], {}, 1],
    ['another namespace at the same URL', ['--from', target[1]!, '--from-namespace', 'shop'], {}, 1],
  ])('reads from %s', async (_, args, environment, port) => {
    await expect(run([...args, ...target], environment)).rejects.toThrow(`ECONNREFUSED 127.0.0.1:${port}`)
  })

  it('says that it was interrupted while it connected to the source', async () => {
    const others = new Set(process.listeners('SIGINT'))
    const slots = Promise.withResolvers<Error>()
    const server = await FakeServer.start({ 'CLUSTER SLOTS': slots.promise })
    const lines: string[] = []
    const running = warmCommand.run(['--from', `valkey://${server.name}`, ...target], {
      line: (text) => void lines.push(text),
      folder: '.',
      environment: {},
    })
    await eventually(() => server.sent.includes('CLUSTER SLOTS'))
    for (const interrupt of process.listeners('SIGINT')) if (!others.has(interrupt)) interrupt('SIGINT')
    slots.resolve(new Error('ERR This instance has cluster support disabled'))
    expect(await running).toBe(1)
    expect(lines).toEqual([
      expect.stringMatching(/^Interrupted: 0 stored, .* Run the command again to go on;/),
    ])
    FakeServer.stopAll()
  })

  it('does not listen to interrupts any more when it has failed', async () => {
    const listeners = process.listenerCount('SIGINT')
    await expect(run(['--from', other, ...target])).rejects.toThrow('ECONNREFUSED')
    expect(process.listenerCount('SIGINT')).toBe(listeners)
  })
})
