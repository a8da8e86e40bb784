import { parseOptions } from './options.ts'

describe('parseOptions', () => {
  it('takes a suite alone', () => {
    expect(parseOptions(['codec'])).toEqual({
      suite: 'codec',
      json: false,
      quick: false,
      only: [],
      build: true,
    })
  })

  it('takes options before and after the suite, --only as often as wanted', () => {
    expect(
      parseOptions(['--quick', 'codec', '--only', 'User', '--json', '--only', 'Item', '--skip-build']),
    ).toEqual({ suite: 'codec', json: true, quick: true, only: ['User', 'Item'], build: false })
  })

  it('takes minutes, and refuses none', () => {
    expect(parseOptions(['soak', '--minutes', '0.5']).minutes).toBe(0.5)
    for (const minutes of ['0', 'ten']) {
      expect(() => parseOptions(['soak', '--minutes', minutes])).toThrow(
        `--minutes ${minutes}: it takes a number`,
      )
    }
  })

  it('takes the size of the young generation, and refuses none', () => {
    expect(parseOptions(['storm', '--semi-space', '64']).semiSpaceMb).toBe(64)
    for (const size of ['0', '1.5', 'big']) {
      expect(() => parseOptions(['storm', '--semi-space', size])).toThrow(
        `--semi-space ${size}: it takes a whole number`,
      )
    }
  })

  it('takes a file to store the result in', () => {
    expect(parseOptions(['storm', '--out', 'storm.json']).out).toBe('storm.json')
  })

  it('takes nothing, which lists the suites', () => {
    expect(parseOptions([]).suite).toBeUndefined()
  })

  it('refuses what it does not know', () => {
    expect(() => parseOptions(['codec', '--qiuck'])).toThrow("Unknown option '--qiuck'")
    expect(() => parseOptions(['codec', 'storm'])).toThrow('One suite at a time: what is "storm"?')
  })
})
