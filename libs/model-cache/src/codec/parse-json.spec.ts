import { jest } from '@jest/globals'
import { parseJson } from './parse-json.js'

describe('parseJson', () => {
  it.each(['a', 'a"b', 'a\\', '\\', '"', '\n', 'ü\u2028', '', '__proto__"'])(
    'reads a key that is %j as it was, also where V8 takes it for another',
    (key) => {
      for (const before of ['', '\\', '\\\\', '"', 'n', 'a\\"']) {
        const value = {
          p: 0,
          [key]: 'quoted "text"\\ and\n',
          last: { [before]: 1, [key + before]: [key, [], {}, -1.5e-7, true, null] },
        }
        const text = JSON.stringify(value)
        JSON.parse(JSON.stringify({ p: 0, [before]: 1 }))
        expect(JSON.stringify(parseJson(text))).toBe(text)
      }
    },
  )

  it('parses escaped keys between spaces', () => {
    const text = ' { "a\\"" : [ 1 , { "\\\\" : "}" } ] ,\n"" : "\\u00e9" } '
    expect(parseJson(text)).toEqual({ 'a"': [1, { '\\': '}' }], '': 'é' })
    expect(parseJson('{"a\\n":[1 , 2],"b" : { "c" : 3 } }')).toEqual({ 'a\n': [1, 2], b: { c: 3 } })
  })

  it('visits each character once, however many escapes there are', () => {
    for (const piece of ['\ud800', '"', '\n', '\\']) {
      const value = { text: piece.repeat(1_000_000), more: piece }
      expect(parseJson(JSON.stringify(value))).toEqual(value)
    }
  })

  it('is linear in the number of strings with escapes', () => {
    const values = Array<string>(100_000).fill('\n')
    expect(parseJson(JSON.stringify(values))).toEqual(values)
  })

  // Indented JSON is not what JSON.stringify gives for the result, so it is parsed without V8 if a key has an escape.
  it.each([1, '\t', '\n'])('parses JSON with escaped keys that is indented by %j', (space) => {
    const value: unknown = JSON.parse(`{
      "": { "__proto__": { "a": 1 }, "\\"": null },
      "empty": [{}, [], [[]], ""],
      "leaves": [0, -1.5e-7, 1e21, true, false, null, "x", 7],
      "texts": ["a, b", "]}", "\\\\", "\\"", "\\\\\\"", "\\n: \\u00e9", "\\ud800"],
      "back\\\\": { "quote\\"": ["end\\\\"], "last\\n": { "deep": { "er": 1 } } }
    }`)
    for (const each of [value, [value, value]]) {
      const text = JSON.stringify(each, undefined, space)
      expect(JSON.stringify(parseJson(text), undefined, space)).toBe(text)
    }
    const { '': parsed } = parseJson(JSON.stringify(value, undefined, space)) as { '': object }
    const { '': expected } = value as { '': object }
    expect(Object.getOwnPropertyDescriptors(parsed)).toStrictEqual(Object.getOwnPropertyDescriptors(expected))
  })

  it.each([
    ['{"a":1,"b":["c"]}', 0],
    ['{"a":"quoted \\"text\\", a colon: and \\\\","b":["\\n:"]}', 0],
    ['{"a":"\\\\",":":1}', 0],
    ['{"a":"\\n","line\\n":1}', 1],
  ])('serializes %s again only if a key has an escape', (text, times) => {
    const serialized = jest.spyOn(JSON, 'stringify')
    const parsed = jest.spyOn(JSON, 'parse')
    try {
      parseJson(text)
      expect(serialized).toHaveBeenCalledTimes(times)
      expect(parsed).toHaveBeenCalledTimes(1)
    } finally {
      serialized.mockRestore()
      parsed.mockRestore()
    }
  })
})
