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
  })

  it('visits each character once, however many escapes there are', () => {
    for (const piece of ['\ud800', '"', '\n', '\\']) {
      const value = { text: piece.repeat(1_000_000), more: piece }
      expect(parseJson(JSON.stringify(value))).toEqual(value)
    }
  })

  it('does not serialize again if only values have escapes', () => {
    const text = ' {"a": "quoted \\"text\\", a colon: and \\\\", "b": ["\\n:"]}'
    expect(parseJson(text)).toEqual({ a: 'quoted "text", a colon: and \\', b: ['\n:'] })
  })
})
