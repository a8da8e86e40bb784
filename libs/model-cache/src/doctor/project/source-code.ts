/**
 * A file of source, with its code alone: comments and the contents of strings are blank, at the same places. So a search finds no
 * name in a text, and brackets fit. TypeScript itself is not needed, whose versions differ in what they offer.
 */
export interface SourceCode {
  /** From the folder of the project: `src/jobs/prices.ts`. */
  readonly path: string
  readonly text: string
  readonly code: string
}

export function sourceCodeOf(path: string, text: string): SourceCode {
  return { path, text, code: new Blanker(text).blank() }
}

/** `path:line` of a place. */
export function placeOf({ path, text }: SourceCode, at: number): string {
  return `${path}:${lineOf(text, at)}`
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length
}

/** Whether a comment `// model-cache: <reason>` on its line, or the one before, says that a finding is known. */
export function isAcknowledged({ text }: SourceCode, at: number): boolean {
  const line = lineOf(text, at)
  return text
    .split('\n')
    .slice(Math.max(0, line - 2), line)
    .some((content) => /\/[/*]\s*model-cache:\s*\w/.test(content))
}

const brackets: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

/** The place of the bracket that closes the one at a place; the end of the code if none does. */
export function closingOf(code: string, open: number): number {
  let depth = 0
  for (let i = open; i < code.length; i++) {
    const char = code[i]!
    if (char in brackets) depth++
    else if (char === ')' || char === ']' || char === '}') {
      depth--
      if (depth === 0) return i
    }
  }
  return code.length
}

/** The place behind spaces and type arguments: `<Row>` of `define<Row>(`. */
export function behindTypes(code: string, at: number): number {
  let i = at + /^\s*/.exec(code.slice(at))![0].length
  if (code[i] !== '<') return i
  let depth = 0
  for (; i < code.length; i++) {
    if (code[i] === '<') depth++
    else if (code[i] === '>' && code[i - 1] !== '=' && --depth === 0) break
  }
  return i + 1 + /^\s*/.exec(code.slice(i + 1))![0].length
}

/** What a slash that begins a regular expression may follow. */
const beforeRegularExpression =
  /(?:^|[(,=:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|in|of|do|else|void|yield|await))\s*$/

class Blanker {
  readonly #text: string
  readonly #code: string[]
  #at = 0

  constructor(text: string) {
    this.#text = text
    this.#code = text.split('')
  }

  blank(): string {
    this.#readCode('')
    return this.#code.join('')
  }

  /** Reads code up to a bracket that closes more than was opened, or to the end. */
  #readCode(closing: string): void {
    let depth = 0
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at]!
      const next = this.#text[this.#at + 1]
      if (char === closing && depth === 0) return
      if (char === '{') depth++
      else if (char === '}') depth--
      if (char === '/' && next === '/') this.#blankUntil(/\n|$/g, 0)
      else if (char === '/' && next === '*') this.#blankUntil(/\*\/|$/g, 2)
      else if (char === '/' && this.#beginsRegularExpression()) this.#readRegularExpression()
      else if (char === "'" || char === '"') this.#readString(char)
      else if (char === '`') this.#readTemplate()
      else this.#at++
    }
  }

  #beginsRegularExpression(): boolean {
    const before = this.#code.slice(Math.max(0, this.#at - 40), this.#at).join('')
    return beforeRegularExpression.test(before)
  }

  #readRegularExpression(): void {
    let isInClass = false
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at]
      if (char === '\n' || (char === '/' && !isInClass)) break
      if (char === '[') isInClass = true
      else if (char === ']') isInClass = false
      if (char === '\\') this.#blankOne(this.#at++)
      this.#blankOne(this.#at)
    }
    this.#at++
  }

  #readString(quote: string): void {
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at]
      if (char === quote || char === '\n') break
      if (char === '\\') this.#blankOne(this.#at++)
      this.#blankOne(this.#at)
    }
    this.#at++
  }

  #readTemplate(): void {
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at]
      if (char === '`') break
      if (char === '$' && this.#text[this.#at + 1] === '{') {
        this.#at += 2
        this.#readCode('}')
        continue
      }
      if (char === '\\') this.#blankOne(this.#at++)
      this.#blankOne(this.#at)
    }
    this.#at++
  }

  /** @param pattern what ends it, global. @param length of the end, which is part of it */
  #blankUntil(pattern: RegExp, length: number): void {
    pattern.lastIndex = this.#at + 1
    const end = pattern.exec(this.#text)
    const until = end ? (length === 0 ? end.index : end.index + end[0].length) : this.#text.length
    for (; this.#at < until; this.#at++) this.#blankOne(this.#at)
  }

  #blankOne(at: number): void {
    if (this.#code[at] !== '\n') this.#code[at] = ' '
  }
}
