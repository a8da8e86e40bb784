import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSchema } from './parse-schema.js'

describe('the parser of Prisma schemas', () => {
  it('parses what the client lacks: ignored fields and models, unsupported types, partial keys', () => {
    const { models } = parseSchema(
      readFileSync(join(import.meta.dirname, 'reference-schemas/postgresql.prisma'), 'utf8'),
    )
    expect(models.get('Secret')).toMatchObject({ isIgnored: true, isView: false })
    expect(models.get('UserView')).toMatchObject({ isIgnored: false, isView: true })
    const { fields, uniqueKeys } = models.get('User')!
    expect(fields.get('hidden')).toMatchObject({ type: 'String', isIgnored: true })
    expect(fields.get('notes')).toMatchObject({ type: 'Note', isIgnored: true, isList: true })
    expect(fields.get('vector')).toMatchObject({ type: 'Unsupported', isOptional: true })
    expect(uniqueKeys.filter(({ isPartial }) => isPartial).map(({ fields }) => fields)).toEqual([
      ['bossId'],
      ['bossId', 'day'],
    ])
  })

  it.each([
    ['a comment of several lines', '/* model B {\n */'],
    ['a block of an unknown kind', 'policy B {\n  rows { a = [1, { b: "}" }]\n    model C { }\n  }\n}'],
    ['a declaration in one line', 'type Money = Decimal @db.Decimal(10, 2)'],
    ['a byte order mark', '\uFEFF'],
    ['a brace too many', '}'],
    ['nothing else', ''],
  ])('parses a model after %s', (_, before) => {
    const { models } = parseSchema(`${before}\nmodel A {\r\n  id Int @id\r\n}`)
    expect([...models.keys()]).toEqual(['A'])
    expect(models.get('A')).toMatchObject({ primaryKey: ['id'], problem: undefined })
  })

  it('parses arguments that span lines', () => {
    const { models } = parseSchema(`model A {
      b B? @relation(
        fields: [bId, /// why
          bNo],
        references:
          [id, no], // because
        onDelete: Cascade,
      )
      @@index([bId], where: {
        deleted: false
      })
      id Int @id
    }`)
    const { fields, problem, primaryKey } = models.get('A')!
    expect(fields.get('b')!.relation).toEqual({
      name: undefined,
      fields: ['bId', 'bNo'],
      references: ['id', 'no'],
      onDelete: 'Cascade',
      onUpdate: undefined,
    })
    expect({ problem, primaryKey }).toEqual({ problem: undefined, primaryKey: ['id'] })
  })

  it('skips a line that it cannot parse, and names it', () => {
    const { models } = parseSchema(`model A {
  id   Int @id
  name String @check(length > 3 { "}" })
  code String @unique
}
model B {
  id Int @id
}`)
    const { fields, problem, uniqueKeys } = models.get('A')!
    expect([...fields.keys()]).toEqual(['id', 'code'])
    expect(problem).toBe('line 3 has ">" where "," or ")" was expected')
    expect(uniqueKeys).toMatchObject([{ fields: ['code'] }])
    expect(models.get('B')).toMatchObject({ problem: undefined })
  })

  it.each([
    ['name String @', 'the end of the line', 'the name of an attribute'],
    ['name String @db.', 'the end of the line', 'the name of an attribute'],
    ['name String[', 'the end of the line', '"]"'],
    ['name String ! @map("n")', '"!"', 'the end of the line'],
    ['name String @map(', 'the end of the schema', 'a value'],
    ['name String @map("a" "b")', '"b"', '"," or ")"'],
    ['name String @map([1 2])', '"2"', '"," or "]"'],
    ['name String @map("a": 1)', '":"', '"," or ")"'],
    ['name Strange("a")', '"("', 'the end of the line'],
    ['name Unsupported("a" "b")', '"b"', '"," or ")"'],
    ['"name" String', '"name"', 'the name of a field'],
    ['@map("a")', '"map"', '"@"'],
    ['@@map("a") "b"', '"b"', 'the end of the line'],
  ])('says what it has found in %j', (line, found, expected) => {
    const { problem } = parseSchema(`model A {\n  id Int @id\n  ${line}\n`).models.get('A')!
    const at = found.endsWith('schema') ? 4 : 3
    expect(problem).toBe(`line ${at} has ${found} where ${expected} was expected`)
  })

  it('names the first of several problems, and parses the lines between them', () => {
    const { fields, problem } = parseSchema(
      'model A {\n a ! { b {\n } }\n b Int }\nmodel B {\n a Int\n !\n b Int\n ?\n c Int\n}',
    ).models.get('B')!
    expect([...fields.keys()]).toEqual(['a', 'b', 'c'])
    expect(problem).toMatch(/^line 7 /)
  })

  it('skips a line that it cannot parse with all that begins in it', () => {
    const { models } = parseSchema(`model A {
  first  String @check([1, (2 } 3)]) { a: "}" }
  second String
  third  String ! ) ] }
model B { id Int }`)
    expect([...models.get('A')!.fields.keys()]).toEqual(['second'])
    expect([...models.get('B')!.fields.keys()]).toEqual(['id'])
  })

  it('replaces escapes in texts', () => {
    const text = String.raw`a\"b\\c\n\r\t\b\f\u00e9\/`
    const { fields } = parseSchema(`model A {\n  a String @map("${text}")\n}`).models.get('A')!
    expect(fields.get('a')!.column).toBe('a"b\\c\n\r\t\b\f\u00e9/')
  })

  it('finds no marks in texts', () => {
    const { fields, problem } = parseSchema(`model A {
      a String[] @default([")", "]"]) @map(")")
    }`).models.get('A')!
    expect([fields.get('a')!.column, problem]).toEqual([')', undefined])
  })

  it('skips a field without a type', () => {
    const { fields } = parseSchema('model A {\n  id Int @id\n  name\n}').models.get('A')!
    expect([...fields.keys()]).toEqual(['id'])
  })

  it('takes documentation for what it stands above, and for the field before it', () => {
    const { models } = parseSchema(`
model Undocumented {
}
/// of nothing

/// first
/// second
model A { /// of nothing
  /// of a
  a Int ///   behind a
  b Int

  /// of nothing

  /// above c

  // no documentation
  c Int /// behind c
  /// of d, not of e
  d Int
  e Int
  /// of nothing
  @@map("a")
  f Int
  /// of nothing
}
enum C {
  one /// of one
}
/// of the generator
generator client {
  provider = "none"
}
model D {
  a Int
}`)
    const a = models.get('A')!
    expect([...a.fields.values()].map(({ documentation }) => documentation)).toEqual([
      'of a\nbehind a',
      undefined,
      'above c\nbehind c',
      'of d, not of e',
      undefined,
      undefined,
    ])
    expect(a.table).toBe('a')
    expect(models.get('D')!.fields.get('a')!.documentation).toBeUndefined()
  })

  it('tells models, views and enums apart, and skips other blocks', () => {
    const { enums, models } = parseSchema(`
      generator model { provider = "a" }
      datasource view { url = env("b") }
      model A { a Int }
      view  B { a Int }
      type  C { a Int }
      enum  D { a }
      model "E" { a Int }
      model F
      model G = { a Int }
      model H "{" a Int }
    `)
    expect([...models.values()].map(({ name, isView }) => [name, isView])).toEqual([
      ['A', false],
      ['B', true],
    ])
    expect([...enums.keys()]).toEqual(['D'])
  })

  it('parses arguments in any order, with names and without', () => {
    const { fields, indexes, uniqueKeys } = parseSchema(`model A {
      a String @map(name: "one") @db.VarChar(80)
      b String @db.Decimal(10, 2) @map("two")
      c B @ignore @relation(onDelete: Cascade, "named", references: [id], fields: [a])
      d B @relation(name: "other")
      @@unique(name: "pair", fields: [a, b(sort: Desc)])
      @@unique([b.c], where: { a: { not: null } })
      @@index([b, [c]])
    }
    model B { id String @id }`).models.get('A')!
    expect([fields.get('a')!.column, fields.get('b')!.column]).toEqual(['one', 'two'])
    expect([fields.get('a')!.nativeType, fields.get('b')!.nativeType]).toEqual([
      { name: 'VarChar', args: ['80'] },
      { name: 'Decimal', args: ['10', '2'] },
    ])
    const named = { name: 'named', fields: ['a'], references: ['id'], onDelete: 'Cascade' }
    expect(fields.get('c')!.relation).toEqual({ ...named, onUpdate: undefined })
    expect(fields.get('d')!.relation).toMatchObject({ name: 'other', fields: [], references: [] })
    expect(uniqueKeys).toEqual([
      { name: 'pair', fields: ['a', 'b'], isPartial: false },
      { name: undefined, fields: ['b.c'], isPartial: true },
    ])
    expect(indexes).toEqual([{ name: undefined, fields: ['b'], isPartial: false }])
  })

  it.each([
    'model A {',
    'model A {\n  id Int @id(',
    'model A {\n  id Int @default("',
    'model A {\n  /// of nothing',
    'model A',
    'enum {',
    'model A {\n  @@unique([a',
  ])('ends at the premature end of a schema: %j', (text) => {
    expect([...parseSchema(text).models.keys()]).toEqual(text.startsWith('model A {') ? ['A'] : [])
  })
})
