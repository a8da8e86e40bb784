import { suites } from '../suites.ts'
import { parseAll } from './all.ts'

describe('bench all', () => {
  it('measures all suites', () => expect(parseAll([]).chosen).toEqual(suites))

  it('leaves out those that --skip names', () => {
    const { chosen } = parseAll(['--skip', 'soak', '--skip', 'chaos'])
    expect(suites.filter((suite) => !chosen.includes(suite)).map(({ name }) => name)).toEqual([
      'soak',
      'chaos',
    ])
  })

  it('refuses unknown suites, and says which there are', () => {
    expect(() => parseAll(['--skip', 'sock'])).toThrow(/sock.*soak/s)
  })
})
