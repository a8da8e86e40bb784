import type { Messages } from '../backend/store.js'
import { AtRest } from './at-rest.js'
import { sealedMessages } from './message-seal.js'

const keysOf = (value: number) => AtRest.of({ keys: [{ id: 'a', key: Buffer.alloc(32, value) }] })

it('are heard by those with the key, on their channel alone', async () => {
  const sent: string[] = []
  const listeners = new Map<string, (text: string) => void>()
  const messages: Messages = {
    publish: async (_, text) => void sent.push(text),
    subscribe: async (channel, listener) => void listeners.set(channel, listener),
    unsubscribe: async (channel) => void listeners.delete(channel),
  }
  const [one, other] = [keysOf(1), keysOf(2)].map((atRest) => sealedMessages(messages, atRest))
  const heard: string[] = []
  await one!.subscribe(
    'a',
    (text) => heard.push(`a ${text}`),
    () => {},
  )
  await one!.subscribe(
    'b',
    (text) => heard.push(`b ${text}`),
    () => {},
  )
  await one!.publish('a', 'the row ada')
  await other!.publish('a', 'with another key')
  expect(sent.join()).not.toMatch(/ada|another/)
  for (const text of [...sent, 'in clear text'])
    for (const channel of ['a', 'b']) listeners.get(channel)!(text)
  expect(heard).toEqual(['a the row ada', 'a in clear text', 'b in clear text'])
  await one!.unsubscribe('a')
  expect([...listeners.keys()]).toEqual(['b'])
})

it('are heard until the listener ends that has subscribed, twice or not', async () => {
  const listeners = new Set<unknown>()
  const messages: Messages = {
    publish: async () => {},
    subscribe: async (_, listener) => void listeners.add(listener),
    unsubscribe: async (_, listener) => void listeners.delete(listener),
  }
  const sealed = sealedMessages(messages, keysOf(1))
  const [one, other] = [(): void => {}, (): void => {}]
  for (const listener of [one, other, one]) await sealed.subscribe('a', listener, () => {})
  expect(listeners.size).toBe(2)
  await sealed.unsubscribe('a', one)
  expect(listeners.size).toBe(1)
  await sealed.unsubscribe('a', other)
  expect(listeners.size).toBe(0)
})
