import { parseOptions } from './options.ts'

describe('parseOptions', () => {
  it('takes a suite, and options before and after it', () => {
    expect(parseOptions([]).suite).toBeUndefined()
    expect(parseOptions(['codec'])).toEqual({
      suite: 'codec',
      json: false,
      quick: false,
      only: [],
      build: true,
    })
    const args = [
      '--quick',
      'storm',
      '--only',
      'raw',
      '--json',
      '--only',
      'v1',
      '--skip-build',
      '--out',
      'a.json',
    ]
    expect(parseOptions([...args, '--minutes', '0.5', '--semi-space', '64'])).toEqual({
      suite: 'storm',
      json: true,
      quick: true,
      only: ['raw', 'v1'],
      build: false,
      out: 'a.json',
      minutes: 0.5,
      semiSpaceMb: 64,
    })
  })

  it('takes the suite of a cluster or of a database', () => {
    expect(parseOptions(['chaos', '--cluster']).suite).toBe('chaos-cluster')
    expect(parseOptions(['chaos', '--at-rest']).suite).toBe('chaos-at-rest')
    expect(parseOptions(['chaos', '--database', 'mariadb']).suite).toBe('chaos-mariadb')
    expect(parseOptions(['chaos', '--database', 'postgresql']).suite).toBe('chaos')
  })

  it('takes hours for minutes', () => {
    expect(parseOptions(['soak', '--hours', '1.5'])).toMatchObject({ minutes: 90 })
  })

  it.each([
    [['soak', '--minutes', '0'], '--minutes 0: expected a number'],
    [['soak', '--minutes', 'ten'], '--minutes ten: expected a number'],
    [['soak', '--hours', '0'], '--hours 0: expected a number of hours'],
    [['soak', '--hours', '1', '--minutes', '5'], 'not both'],
    [['storm', '--semi-space', '1.5'], '--semi-space 1.5: expected a whole number'],
    [['codec', '--qiuck'], "Unknown option '--qiuck'"],
    [['codec', 'storm'], 'unexpected "storm"'],
  ])('refuses %j', (args, message) => expect(() => parseOptions(args)).toThrow(message))
})
