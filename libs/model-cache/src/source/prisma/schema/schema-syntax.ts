import { type Token, tokensOf } from './schema-tokens.js'

/** A block of a Prisma schema, `model User { … }`. */
export interface SchemaBlock {
  /** `'model'`, `'view'`, `'enum'`, `'datasource'`. */
  readonly keyword: string
  readonly name: string
  readonly fields: readonly FieldSyntax[]
  /** The attributes of the block, with `@@`. */
  readonly attributes: readonly Attribute[]
  /** The first part that could not be parsed, with its line. */
  readonly problem: string | undefined
}

/** A field, a value of an enum, or a setting of a data source. Only fields have a type. */
export interface FieldSyntax {
  readonly name: string
  readonly type: TypeSyntax | undefined
  /** The value of a setting; undefined for others. */
  readonly value: Value | undefined
  readonly attributes: readonly Attribute[]
  /** The lines of `///` above it, and the one after it. */
  readonly documentation: string | undefined
}

export interface TypeSyntax {
  /** `'Unsupported'` for `Unsupported("…")`. */
  readonly name: string
  readonly isList: boolean
  readonly isOptional: boolean
}

/** `{ name: 'db.Decimal', args: … }` for `@db.Decimal(10, 2)`. */
export interface Attribute {
  readonly name: string
  readonly args: readonly Argument[]
}

export interface Argument {
  readonly name: string | undefined
  readonly value: Value
}

/** A text, a number, a name or a path such as `address.city`; the name of `b(sort: Desc)`; a list. Of an object only that there is one. */
export type Value = string | readonly Value[]

const keywords = new Set(['model', 'view', 'enum', 'datasource'])

/**
 * Parses the blocks of a Prisma schema. Never throws: a line that cannot be parsed is skipped and becomes the `problem` of
 * its block. Blocks of other keywords, such as `generator`, are skipped.
 */
export function readBlocks(schema: string): readonly SchemaBlock[] {
  return new SyntaxReader(tokensOf(schema)).blocks()
}

class SyntaxReader {
  readonly #tokens: readonly Token[]
  #position = 0
  /** The documentation above the current position, and whether another line would still belong to it. */
  #above: string[] = []
  #isAboveOpen = false

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  blocks(): readonly SchemaBlock[] {
    const blocks: SchemaBlock[] = []
    while (this.#skipToContent()) {
      const keyword = this.#peek().value
      const name = this.#peek(1)
      if (keywords.has(keyword) && name.kind === 'word' && isMark(this.#peek(2), '{')) {
        this.#position += 3
        blocks.push(this.#block(keyword, name.value))
      } else if (!this.#skip('}')) this.#skipLine()
      this.#takeAbove()
    }
    return blocks
  }

  #block(keyword: string, name: string): SchemaBlock {
    this.#takeAbove()
    // Documentation after the brace belongs to nothing.
    if (this.#peek().kind === 'documentation') this.#position++
    const fields: FieldSyntax[] = []
    const attributes: Attribute[] = []
    let problem: string | undefined
    while (this.#skipToContent() && !this.#skip('}')) {
      const start = this.#position
      try {
        if (isMark(this.#peek(), '@')) {
          attributes.push(this.#blockAttribute())
          this.#endLine()
        } else fields.push(this.#field())
      } catch (error) {
        if (!(error instanceof SyntaxProblem)) throw error
        problem ??= error.message
        this.#position = start
        this.#skipLine()
      }
      this.#takeAbove()
    }
    return { keyword, name, fields, attributes, problem }
  }

  #field(): FieldSyntax {
    const above = this.#takeAbove()
    const name = this.#word('the name of a field')
    const value = this.#skip('=') ? this.#value() : undefined
    const type = this.#peek().kind === 'word' ? this.#type() : undefined
    const attributes: Attribute[] = []
    while (this.#skip('@')) attributes.push(this.#attribute())
    const behind = this.#endLine()
    return { name, type, value, attributes, documentation: joined([above, behind]) }
  }

  #type(): TypeSyntax {
    const name = this.#word('a type')
    if (name === 'Unsupported' && this.#skip('(')) this.#arguments(')')
    const isList = this.#skip('[')
    if (isList) this.#expect(']')
    return { name, isList, isOptional: this.#skip('?') }
  }

  #blockAttribute(): Attribute {
    this.#expect('@')
    this.#expect('@')
    return this.#attribute()
  }

  #attribute(): Attribute {
    const name = this.#path('the name of an attribute')
    return { name, args: this.#skip('(') ? this.#arguments(')') : [] }
  }

  /** Parses from after the opening mark through the closing one. Line breaks in between have no meaning. */
  #arguments(close: string): readonly Argument[] {
    return this.#separated(close, () => {
      const first = this.#peek()
      if (first.kind !== 'word' || !isMark(this.#peek(1), ':'))
        return { name: undefined, value: this.#value() }
      this.#position += 2
      this.#skipBreaks()
      return { name: first.value, value: this.#value() }
    })
  }

  #separated<Item>(close: string, read: () => Item): readonly Item[] {
    const items: Item[] = []
    this.#skipBreaks()
    while (!this.#skip(close)) {
      items.push(read())
      this.#skipBreaks()
      if (!this.#skip(',') && !isMark(this.#peek(), close)) this.#fail(`"," or "${close}"`)
      this.#skipBreaks()
    }
    return items
  }

  #value(): Value {
    const { kind, value } = this.#peek()
    if (kind === 'text') {
      this.#position++
      return value
    }
    if (this.#skip('[')) return this.#separated(']', () => this.#value())
    if (this.#skip('{')) return this.#arguments('}').map((entry) => entry.value)
    const name = this.#path('a value')
    if (this.#skip('(')) this.#arguments(')')
    return name
  }

  /** `address.city`, `db.Decimal`. */
  #path(expected: string): string {
    let path = this.#word(expected)
    while (this.#skip('.')) path += `.${this.#word(expected)}`
    return path
  }

  /** Returns the documentation at the end of the line. */
  #endLine(): string | undefined {
    const token = this.#peek()
    if (token.kind === 'documentation') {
      this.#position++
      return token.value
    }
    if (token.kind !== 'newline' && !isMark(token, '}')) this.#fail('the end of the line')
    return undefined
  }

  // ---- tokens ----

  /** Returns a token. The last one is the end, behind which nothing is read. */
  #peek(offset = 0): Token {
    return this.#tokens[this.#position + offset]!
  }

  #skip(mark: string): boolean {
    if (!isMark(this.#peek(), mark)) return false
    this.#position++
    return true
  }

  #expect(mark: string): void {
    if (!this.#skip(mark)) this.#fail(`"${mark}"`)
  }

  #word(expected: string): string {
    const { kind, value } = this.#peek()
    if (kind !== 'word') this.#fail(expected)
    this.#position++
    return value
  }

  #fail(expected: string): never {
    const { kind, value, line } = this.#peek()
    const found =
      kind === 'newline' || kind === 'end'
        ? `the end of the ${kind === 'end' ? 'schema' : 'line'}`
        : `"${value}"`
    throw new SyntaxProblem(`line ${line} has ${found} where ${expected} was expected`)
  }

  #skipBreaks(): void {
    while (['newline', 'documentation'].includes(this.#peek().kind)) this.#position++
  }

  /** Skips line breaks and collects documentation. Returns false at the end. */
  #skipToContent(): boolean {
    for (;;) {
      const { kind, value } = this.#peek()
      if (kind === 'documentation') {
        if (!this.#isAboveOpen) this.#above = []
        this.#above.push(value)
        this.#isAboveOpen = true
        // Skip its own line break. Another one separates it from what follows.
        this.#position++
        if (this.#peek().kind === 'newline') this.#position++
      } else if (kind === 'newline') {
        this.#isAboveOpen = false
        this.#position++
      } else return kind !== 'end'
    }
  }

  #takeAbove(): string | undefined {
    const lines = this.#above
    this.#above = []
    return joined(lines)
  }

  /** Skips the rest of a line with all blocks and lists that begin in it, but not the end of the surrounding block. */
  #skipLine(): void {
    let depth = 0
    for (;;) {
      const token = this.#peek()
      if (token.kind === 'end') return
      if (depth === 0 && (token.kind === 'newline' || isMark(token, '}'))) return
      this.#position++
      if (token.kind !== 'mark') continue
      if ('([{'.includes(token.value)) depth++
      else if (')]}'.includes(token.value)) depth = Math.max(0, depth - 1)
    }
  }
}

class SyntaxProblem extends Error {}

function isMark(token: Token, mark: string): boolean {
  return token.kind === 'mark' && token.value === mark
}

function joined(lines: readonly (string | undefined)[]): string | undefined {
  const known = lines.filter((line) => line !== undefined)
  return known.length === 0 ? undefined : known.join('\n')
}
