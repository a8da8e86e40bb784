import { createCipheriv, createDecipheriv, type KeyObject, randomBytes, randomFillSync } from 'node:crypto'
import type { KeyPurpose, KeyRing } from './key-ring.js'

const algorithm = 'aes-256-gcm'
const nonceLength = 12
const tagLength = 16
const saltLength = 16

/** Values after which a process takes another salt, and with it another subkey: 2^32 random nonces of one key are the limit of GCM. */
const valuesPerSalt = 2 ** 30

/** Subkeys of other processes that are kept. Each running process has one, or two after a rotation. */
const maxSubkeys = 1_000

const options = { authTagLength: tagLength }

/** Why something could not be decrypted. */
export type Undecrypted = 'unknown_key' | 'tampered'

/** A key of one process, and what all that it encrypts begins with. */
interface Subkey {
  readonly start: Buffer
  /** Not bytes, with which Node 24 takes six times as long for a small value. */
  readonly key: KeyObject
}

/**
 * Encrypts with AES-256-GCM. What is encrypted begins with what readers need, and ends with the tag:
 *
 * ```
 * <length of the key's id> <key's id> <salt, 16 bytes> <nonce, 12 bytes> <ciphertext> <tag, 16 bytes>
 * ```
 *
 * Each process derives a subkey of its own by a random salt, and takes a random nonce for each value. So however many values all processes
 * write under one key, those of one subkey stay far below the number at which random nonces repeat.
 */
export class Encryption {
  readonly #ring: KeyRing
  readonly #purpose: KeyPurpose
  readonly #nonces = new Nonces()
  /** The subkeys by a part of the salt, which is cheaper to look up than all of it. */
  readonly #subkeys = new Map<number, Subkey>()
  #own: Subkey | undefined
  /** Values that the own subkey may still encrypt. */
  #left = 0

  constructor(ring: KeyRing, purpose: KeyPurpose) {
    this.#ring = ring
    this.#purpose = purpose
  }

  /** Encrypts, and authenticates `context` with it, which is not part of the result. */
  encrypt(plain: string | Buffer, context: Buffer): Buffer {
    const { key, start } = this.#ownSubkey()
    const nonce = this.#nonces.next()
    const cipher = createCipheriv(algorithm, key, nonce, options)
    cipher.setAAD(context)
    const text = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain)
    cipher.final()
    const textAt = start.length + nonceLength
    const bytes = Buffer.allocUnsafe(textAt + text.length + tagLength)
    bytes.set(start)
    bytes.set(nonce, start.length)
    bytes.set(text, textAt)
    bytes.set(cipher.getAuthTag(), textAt + text.length)
    return bytes
  }

  /** Returns what was encrypted. Never throws. */
  decrypt(bytes: Buffer, context: Buffer): Buffer | Undecrypted {
    const nonceAt = 1 + (bytes[0] ?? 0) + saltLength
    const textAt = nonceAt + nonceLength
    const tagAt = bytes.length - tagLength
    if (tagAt < textAt) return 'tampered'
    const key = this.#keyOf(bytes, nonceAt)
    if (!key) return 'unknown_key'
    try {
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(nonceAt, textAt), options)
      decipher.setAAD(context)
      decipher.setAuthTag(bytes.subarray(tagAt))
      const plain = decipher.update(bytes.subarray(textAt, tagAt))
      // Throws unless the tag is that of the key, the nonce, the context and the text.
      decipher.final()
      return plain
    } catch {
      return 'tampered'
    }
  }

  #ownSubkey(): Subkey {
    if (this.#left-- > 0) return this.#own!
    const { firstId } = this.#ring
    const salt = randomBytes(saltLength)
    const start = Buffer.concat([Buffer.from([firstId.length]), Buffer.from(firstId), salt])
    const key = this.#ring.subkey(firstId, this.#purpose, salt)!
    this.#left = valuesPerSalt - 1
    return (this.#own = { start, key })
  }

  /** @param length of what bytes begin with, up to the nonce */
  #keyOf(bytes: Buffer, length: number): KeyObject | undefined {
    const place = bytes.readUInt32LE(length - saltLength)
    const known = this.#subkeys.get(place)
    if (known && beginsWith(bytes, known.start, length)) return known.key
    const start = Buffer.from(bytes.subarray(0, length))
    const id = start.toString('latin1', 1, length - saltLength)
    const key = this.#ring.subkey(id, this.#purpose, start.subarray(length - saltLength))
    if (!key) return undefined
    // Whoever may write to the store chooses salts.
    if (this.#subkeys.size >= maxSubkeys) this.#subkeys.clear()
    this.#subkeys.set(place, { start, key })
    return key
  }
}

function beginsWith(bytes: Buffer, start: Buffer, length: number): boolean {
  if (start.length !== length) return false
  for (let i = 0; i < length; i++) if (bytes[i] !== start[i]) return false
  return true
}

/** Takes random bytes for many nonces at once, which costs less than a call for each. */
class Nonces {
  readonly #bytes = Buffer.alloc(512 * nonceLength)
  #at = this.#bytes.length

  next(): Buffer {
    if (this.#at === this.#bytes.length) {
      randomFillSync(this.#bytes)
      this.#at = 0
    }
    return this.#bytes.subarray(this.#at, (this.#at += nonceLength))
  }
}
