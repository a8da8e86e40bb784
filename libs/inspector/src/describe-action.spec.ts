import { describeAction } from './describe-action.js'

const at = '2026-11-23T00:00:00.000Z'
const users = { name: 'User', root: null }

describe('describeAction', () => {
  it('names the action, the cache and the user', () => {
    const action = { at, cache: users, target: { id: 'a1' }, isPending: false }
    expect(describeAction(action, 'ada')).toBe(
      'Inspector: "ada" invalidated the row "a1" of ModelCache "User".',
    )
    const all = {
      at,
      cache: { name: 'User', root: 'billing' },
      target: { all: true as const },
      isPending: true,
    }
    expect(describeAction(all, 'ada')).toBe(
      'Inspector: "ada" invalidated all rows of ModelCache "User" of the root "billing". The store has not taken it yet.',
    )
  })

  it('leaves out the key of an entry, which is a value of a row', () => {
    const action = { at, cache: users, target: { lookup: 'email', key: 'ada@example.org' }, isPending: false }
    expect(describeAction(action, 'ada')).toBe(
      'Inspector: "ada" invalidated an entry of the lookup "email" of ModelCache "User".',
    )
  })

  it('escapes what could forge another line, and cuts long text', () => {
    const action = { at, cache: users, target: { all: true as const }, isPending: false }
    expect(describeAction(action, 'a\r\n"b"\\\u001B[2J\u202E\u2028\uD800')).toContain(
      'Inspector: "a\\u{d}\\u{a}\\u{22}b\\u{22}\\u{5c}\\u{1b}[2J\\u{202e}\\u{2028}\\u{d800}" invalidated',
    )
    expect(describeAction(action, 'Zoë 李')).toContain('"Zoë 李"')
    expect(describeAction(action, 'x'.repeat(200))).toContain(`"${'x'.repeat(200)}"`)
    expect(describeAction(action, 'x'.repeat(10_000))).toHaveLength(257)
  })
})
