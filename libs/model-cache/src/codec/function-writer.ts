let compiled = 0

/** The name that a function has within itself. */
export const self = 'self'

/**
 * Writes the source of one function and compiles it. The only place where code is made from text.
 *
 * Text from outside enters the source through {@link property} alone, as a JSON string literal; everything else
 * that a function needs (constructors, helpers) is passed as an argument and has a generated name.
 */
export class FunctionWriter {
  readonly #lines: string[] = []
  readonly #constants = new Map<unknown, string>()
  readonly #instances = new Map<new () => object, object>()
  #depth = 1
  #variables = 0

  line(text: string): this {
    this.#lines.push('  '.repeat(this.#depth) + text)
    return this
  }

  block(head: string, body: () => void): this {
    this.line(`${head} {`)
    this.#depth++
    body()
    this.#depth--
    return this.line('}')
  }

  /** A fresh variable name. */
  variable(prefix: string): string {
    return `${prefix}${++this.#variables}`
  }

  /** The name under which the function sees a value; one is made where none is given. */
  constant(value: unknown, name = `c${this.#constants.size}`): string {
    const known = this.#constants.get(value)
    if (known) return known
    this.#constants.set(value, name)
    return name
  }

  /** The name under which the function sees an instance of a class, the only one that it has. */
  instance(Class: new () => object): string {
    return this.constant(this.instanceOf(Class))
  }

  instanceOf<T extends object>(Class: new () => T): T {
    const known = this.#instances.get(Class) ?? new Class()
    this.#instances.set(Class, known)
    return known as T
  }

  /** The text of the function, for golden files and debugging. */
  source(parameter: string): string {
    return `function (${[...this.#constants.values()].join(', ')}) {\n  return function ${self}(${parameter}) {\n${this.#lines.map((line) => `  ${line}\n`).join('')}  }\n}`
  }

  compile<F>(parameter: string): F {
    // A source like no other: of equal ones V8 shares the code, and in code that is shared it does not know the constants.
    const body = `'use strict' // ${++compiled}\nreturn function ${self}(${parameter}) {\n${this.#lines.join('\n')}\n}`
    // eslint-disable-next-line no-new-func -- the point of this file
    const factory = new Function(...this.#constants.values(), body) as (...values: unknown[]) => F
    return factory(...this.#constants.keys())
  }
}

/** Property access that no field name can break out of: `["a\"b"]`. */
export function property(name: string): string {
  return `[${JSON.stringify(name)}]`
}

/** False in a process started with `--disallow-code-generation-from-strings`. */
export const canCompile: boolean = (() => {
  try {
    // eslint-disable-next-line no-new-func -- asks whether it is allowed
    return new Function('return true')() as boolean
  } catch {
    return false
  }
})()
