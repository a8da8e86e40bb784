import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const options = { authTagLength: 16 }

/** A value, and what a reader of it has at hand. */
interface Value {
  readonly context: Buffer
  readonly plain: string
  readonly nonce: Buffer
  readonly text: Buffer
  readonly tag: Buffer
}

/**
 * Encrypts and decrypts the same values by the calls of `node:crypto` that this takes, and nothing else: no key is looked up, and no byte is
 * copied. What a cache costs beyond plain reads and this is its own.
 */
export class CryptoAlone {
  readonly #key = createSecretKey(randomBytes(32))
  readonly #values: readonly Value[]

  /** @param values by their keys */
  constructor(values: ReadonlyMap<string, string>) {
    this.#values = Array.from(values, ([key, plain]) => {
      const value = { context: Buffer.from(key), plain, nonce: randomBytes(12) }
      return { ...value, ...this.#encrypt(value) }
    })
  }

  /** @throws Error if a value does not open */
  decrypt(from: number, count: number): void {
    for (const { context, nonce, tag, text } of this.#values.slice(from, from + count)) {
      const decipher = createDecipheriv(algorithm, this.#key, nonce, options)
      decipher.setAAD(context)
      decipher.setAuthTag(tag)
      decipher.update(text)
      decipher.final()
    }
  }

  encrypt(from: number, count: number): void {
    for (const value of this.#values.slice(from, from + count)) this.#encrypt(value)
  }

  #encrypt({ context, nonce, plain }: Pick<Value, 'context' | 'nonce' | 'plain'>) {
    const cipher = createCipheriv(algorithm, this.#key, nonce, options)
    cipher.setAAD(context)
    const text = cipher.update(plain, 'utf8')
    cipher.final()
    return { text, tag: cipher.getAuthTag() }
  }
}
