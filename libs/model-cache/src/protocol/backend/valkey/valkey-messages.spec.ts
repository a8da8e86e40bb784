import { EventEmitter } from 'node:events'
import type { ValkeyClient } from './valkey-client.js'
import { ValkeyMessages } from './valkey-messages.js'

/** A connection that records its commands. */
class FakeConnection extends EventEmitter {
  readonly isCluster: boolean
  readonly sent: string[] = []
  status = 'wait'

  constructor(isCluster: boolean) {
    super()
    this.isCluster = isCluster
  }

  connect = async (): Promise<void> => {
    this.sent.push('connect')
    this.status = 'ready'
  }
  subscribe = this.#command('subscribe')
  ssubscribe = this.#command('ssubscribe')
  unsubscribe = this.#command('unsubscribe')
  sunsubscribe = this.#command('sunsubscribe')

  #command(name: string) {
    return async (...args: string[]): Promise<void> => void this.sent.push([name, ...args].join(' '))
  }
}

function open(isCluster = false) {
  const [writer, subscriber] = [new FakeConnection(isCluster), new FakeConnection(isCluster)]
  const messages = new ValkeyMessages(
    writer as unknown as ValkeyClient,
    () => subscriber as unknown as ValkeyClient,
    (_, reply) => reply,
  )
  const heard: string[] = []
  const subscribe = (channel: string) =>
    messages.subscribe(
      channel,
      (message) => heard.push(message),
      () => {},
    )
  return { messages, subscribe, subscriber, heard }
}

/** Keeps a connection from opening until the promise that is returned has been resolved. */
function openLater(subscriber: ReturnType<typeof open>['subscriber']) {
  const opened = Promise.withResolvers<void>()
  subscriber.connect = async () => {
    subscriber.status = 'connecting'
    await opened.promise
    subscriber.status = 'ready'
  }
  return opened
}

describe('messages of one server', () => {
  it('are received on all channels that are subscribed to while the connection opens', async () => {
    const { subscribe, subscriber } = open()
    const opened = openLater(subscriber)
    const send = subscriber.subscribe
    subscriber.subscribe = async (...channels) => {
      // As ioredis without a queue.
      if (subscriber.status !== 'ready') throw new Error("Stream isn't writeable")
      await send(...channels)
    }
    const subscribed = Promise.all([subscribe('a'), subscribe('b')])
    subscribed.catch(() => {})
    opened.resolve()
    await subscribed
    expect(subscriber.sent).toEqual(['subscribe a', 'subscribe b'])
  })

  it('are not subscribed to for a listener that ends while the connection opens', async () => {
    const { messages, subscriber } = open()
    const opened = openLater(subscriber)
    const listener = (): void => {}
    const subscribed = messages.subscribe('a', listener, () => {})
    await messages.unsubscribe('a', listener)
    opened.resolve()
    await subscribed
    expect(subscriber.sent).toEqual([])
  })

  it('reach all listeners of a channel, until each has ended', async () => {
    const { messages, subscriber } = open()
    const heard: string[] = []
    const listeners = ['one', 'other'].map(
      (name) => (message: string) => void heard.push(`${name} ${message}`),
    )
    const lost = (): void => void heard.push('lost')
    for (const listener of [...listeners, ...listeners]) await messages.subscribe('a', listener, lost)
    subscriber.emit('message', 'a', '1')
    await messages.unsubscribe('a', listeners[0])
    subscriber.emit('message', 'a', '2')
    subscriber.emit('close')
    expect(subscriber.sent).not.toContain('unsubscribe a')
    await messages.unsubscribe('a', listeners[1])
    expect(subscriber.sent.slice(-1)).toEqual(['unsubscribe a'])
    expect(heard).toEqual(['one 1', 'other 1', 'other 2', 'lost'])
  })

  it('are not subscribed to over the next connection if nothing listens', async () => {
    const { messages, subscribe, subscriber } = open()
    await subscribe('a')
    subscriber.emit('ready')
    await messages.unsubscribe('a')
    const { length } = subscriber.sent
    subscriber.emit('ready')
    expect(subscriber.sent).toHaveLength(length)
  })
})

describe.each([
  ['of one server', false, '', 'message'],
  ['of a cluster', true, 's', 'smessage'],
] as const)('messages %s', (_, isCluster, prefix, event) => {
  it('are no longer subscribed to without a command if there is no connection', async () => {
    const { messages, subscribe, subscriber, heard } = open(isCluster)
    await messages.unsubscribe('a')
    await subscribe('a')
    subscriber.status = 'reconnecting'
    await messages.unsubscribe('a')
    expect(subscriber.sent).toEqual(['connect', `${prefix}subscribe a`])
    subscriber.emit(event, 'a', 'late')
    expect(heard).toEqual([])
  })

  it('survive the errors of their connection', async () => {
    const { subscribe, subscriber } = open(isCluster)
    await subscribe('a')
    // Without a listener this would throw.
    subscriber.emit('error', new Error('ECONNREFUSED'))
    await subscribe('b')
    expect(subscriber.sent.at(-1)).toBe(`${prefix}subscribe b`)
  })
})
