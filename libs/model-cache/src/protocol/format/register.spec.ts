import { changeRegister, registerIn } from './register.js'

const now = 1_000_000

describe('a register', () => {
  const join = { kind: 'join', listing: 'p:d', lifeMs: 100, markMs: 10 } as const

  it.each([undefined, '', 'x', 'e;m;1;1;;', 'e;m;1;x;;;p@5', 'x;e;m;1;1;;;p@5', 'e;m;1;1;;;p@5;x'])(
    'starts again if its text is %j',
    (text) => {
      const [epoch, existence, ...rest] = changeRegister(text, join, now).split(';')
      expect(epoch).toMatch(/^[\w-]{12}$/)
      expect(existence).toBe(epoch)
      expect(rest).toEqual([String(now), '0', '', '', `p:d@${now + 100}`])
    },
  )

  it('is marked by the release of a write to all rows, not by that of new rows', () => {
    const release = { kind: 'release', token: 'w', holdMs: 0, markMs: 10 } as const
    const markAfter = (scope: 'all' | 'existence') =>
      changeRegister('e;m;9;5;;;', { ...release, scope }, now).split(';')[3]
    expect([markAfter('all'), markAfter('existence')]).toEqual([String(now + 10), '5'])
  })

  it.each([
    ['join', '', 'p:d@1000100'],
    ['join', 'q:d@1000007', 'q:d@1000007 p:d@1000100'],
    ['join', 'p:d@1000000', 'p:d@1000100'],
    ['join', 'p:d@1000200 q:d@1000007', 'q:d@1000007 p:d@1000200'],
    ['extend', '', ''],
    ['extend', 'p:d@1000000 q:d@1000007', 'q:d@1000007'],
    ['extend', 'p:d@1000007', 'p:d@1000100'],
    ['extend', 'p:d@1000200', 'p:d@1000200'],
  ] as const)('lists a description by %s where it lists "%s"', (kind, before, after) => {
    const text = changeRegister(`e;m;9;0;;;${before}`, { ...join, kind }, now)
    expect(text).toBe(`e;m;9;0;;;${after}`)
  })

  it('only drops what has expired by expire', () => {
    const text = `e;m;9;1;w@${now - 4} u@${now + 1};v@${now - 4};q@${now} r@${now + 1}`
    expect(changeRegister(text, { kind: 'expire', markMs: 10 }, now)).toBe(
      `e;m;9;${now + 6};u@${now + 1};;r@${now + 1}`,
    )
  })

  it('shows a read its epochs, and which of them are fenced', () => {
    expect(registerIn('e;m;9;7;;;p:d@5 q:d@6')).toEqual({
      text: 'e;m;9;7;;;p:d@5 q:d@6',
      epoch: 'e',
      existence: 'm',
      sinceMs: 9,
      markMs: 7,
      isFenced: false,
      listings: new Map([
        ['p:d', 5],
        ['q:d', 6],
      ]),
    })
    expect(registerIn('e;m;9;7;w@9;;')).toMatchObject({
      isFenced: true,
      existence: 'm',
      listings: new Map(),
    })
    expect(registerIn('e;m;9;7;;w@9;')).toMatchObject({ isFenced: false, existence: null })
  })
})
