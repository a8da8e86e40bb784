import fc from 'fast-check'

/** Strings that have broken one program or another, each for a reason of its own. */
const nastyByReason: Readonly<Record<string, readonly string[]>> = {
  'no value': ['', ' ', 'null', 'undefined', 'NaN', 'Infinity', '-0', 'true'],
  'marks of the codec': ['!', '![]', '!\n', '![[["a"],"undefined"]]\n{}', '#', '#000', '1;', ';'],
  'syntax of JSON': ['[]', '{}', '[', ']', '{', '}', ',', ':', '"', '""', '\\"', '\\u0000', '\\n'],
  'quotes and escapes': ["'", '`', '\\', '\\\\', '$&', '$1', '%s%n', '%00', '{{1}}'],
  'marks of an earlier codec': ['date:2024-01-01', 'decimal:1', 'bigint:1'],
  'texts of scalars': ['2024-10-26T09:12:19.363Z', '10.50', '7n', 'AQ=='],
  'ends of lines': ['\n', '\r\n', '\u0085', '\u2028', '\u2029'],
  'controls and marks': ['\t', '\0', 'a\0b', '\b\f\v', '\u001b[31m', '\u007f', '\uFEFF', '\u200B', '\u00AD'],
  'surrogates alone': ['\uD800', '\uDFFF', '\uDC00\uD800', 'a\uD83C', '\uDF81a', '\uD83C\uD83C\uDF81'],
  'one to four bytes': ['é', 'e\u0301', 'ß', 'İ', '日本語', 'ｆｕｌｌ', '🎁', '👨‍👩‍👧', '\u{10FFFF}'],
  'not characters': ['\uFFFE', '\uFFFF', '\uFFFD'],
  'other directions, many marks': ['مزاد', '\u202Ereversed\u202C', `z${'\u0335\u0348\u0353'.repeat(20)}`],
  'ways out of code': ['${1}', '`+x+`', '*/ x /*', '// x', '"];throw 1;//', "');throw 1;//"],
  'ways out of other languages': ['</script>', '<!--', "1' OR '1'='1", '../..', '=1+1'],
  'names of prototypes': ['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', 'valueOf'],
  'names that libraries look up': ['toJSON', 'then', 'length', '$ref', '$schema', 'anyOf', 'x-model-cache'],
  'syntax of paths': ['__ARRAY__', '__RECORD__', '\\__ARRAY__', 'a.b', 'a\\.b', 'a\\'],
  'keys of arrays': ['0', '1', '00', '-1', '4294967295', '9007199254740993'],
  'nearly numbers': ['1e3', '0x10', '1.0', '1_000'],
}
export const nastyStrings: readonly string[] = Object.values(nastyByReason).flat()

const inherited = [
  '__defineGetter__',
  '__lookupSetter__',
  'isPrototypeOf',
  'propertyIsEnumerable',
  'toLocaleString',
]
const words = ['class', 'return', 'await', 'this', 'arguments', 'eval']
const arktypeSyntax = ['a?', 'a\\?', '[a]', '[string]', '...', '+', 'a=1']

/** UTF-16 in any order, so that surrogates stand alone. */
const codeUnits = fc
  .array(fc.oneof(fc.nat(0xffff), fc.integer({ min: 0xd800, max: 0xdfff }), fc.nat(0x7f)), { maxLength: 60 })
  .map((units) => String.fromCharCode(...units))

/** Not by `unit: 'binary'`, which lists all 1.1 million characters before it makes its first string. */
const codePoints = fc
  .array(fc.oneof(fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff })), { maxLength: 60 })
  .map((points) => String.fromCodePoint(...points))

const nasty = fc.constantFrom(...nastyStrings)

export const anyString: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: nasty },
  { weight: 3, arbitrary: fc.string({ maxLength: 60 }) },
  { weight: 2, arbitrary: codePoints },
  { weight: 2, arbitrary: codeUnits },
  { weight: 1, arbitrary: fc.array(nasty, { maxLength: 8 }).map((parts) => parts.join('')) },
  // Long enough for other code paths of serializers, which look at short strings one character at a time.
  {
    weight: 1,
    arbitrary: fc.tuple(nasty, fc.integer({ min: 1, max: 300 }), nasty).map(([a, n, b]) => a.repeat(n) + b),
  },
)

/** Around one million characters, with something nasty at both ends and in the middle. */
export const hugeString: fc.Arbitrary<string> = fc
  .tuple(nasty, fc.constantFrom('a', 'é', '日', '🎁', '"', '\\', '\uD800', '\u2028'), nasty, nasty)
  .map(([start, filling, middle, end]) => {
    const half = filling.repeat(2 ** 19 / filling.length)
    return start + half + middle + half + end
  })

/** Keys of open records and of JSON, `__proto__` among them. */
export const anyKey: fc.Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom('a', 'b', 'aKey', 'day') },
  { weight: 2, arbitrary: nasty },
  { weight: 1, arbitrary: anyString },
)

/** Names of declared fields. */
export const anyName: fc.Arbitrary<string> = fc
  .oneof(
    { weight: 3, arbitrary: fc.stringMatching(/^[a-z][A-Za-z0-9_]{0,12}$/) },
    { weight: 2, arbitrary: fc.constantFrom(...nastyStrings, ...inherited, ...words, ...arktypeSyntax) },
    { weight: 1, arbitrary: anyString },
  )
  .filter((name) => name !== '__proto__')
