import type { Compression } from './compression.js'
import type { Encryption, Undecrypted } from './encryption.js'

/** Why a stored value could not be opened: a key that this process does not have, a tag that is another one's, or no such form. */
export type Unopened = Undecrypted | 'damaged'

/** A value as the codec and its envelope make it, or why there is none. */
export type Opened = Buffer | Unopened

/**
 * How values stand in the store, other than as the codec and its envelope make them: compressed, encrypted, or first the one and then the
 * other. The tag of an encrypted value is also that of its key in the store. Its envelope, with schema, epochs and times, is part of what is
 * encrypted. So a value that was copied to another key does not open, and one that was kept counts for no other time.
 */
export interface ValueForm {
  readonly name: string
  /** Returns the bytes of the store. */
  close(key: string, value: string): Buffer | Promise<Buffer>
  /** Returns what {@link close} was given. Never throws or rejects. */
  open(key: string, value: Buffer): Opened | Promise<Opened>
}

/** Compresses, encrypts, or first the one and then the other; undefined if there is nothing to do. */
export function createValueForm(
  compression: Compression | undefined,
  encryption: Encryption | undefined,
): ValueForm | undefined {
  if (!compression && !encryption) return undefined
  const encrypted = (key: string, value: string | Buffer): Buffer =>
    encryption ? encryption.encrypt(value, Buffer.from(key)) : (value as Buffer)
  return {
    name: [compression && 'zstd.1', encryption && 'aes-256-gcm.1'].filter(Boolean).join(' '),
    close(key, value) {
      const compressed = compression ? compression.compress(value) : value
      return compressed instanceof Promise
        ? compressed.then((bytes) => encrypted(key, bytes))
        : encrypted(key, compressed)
    },
    open(key, value) {
      const decrypted = encryption ? encryption.decrypt(value, Buffer.from(key)) : value
      if (typeof decrypted === 'string' || !compression) return decrypted
      const opened = compression.decompress(decrypted)
      return opened instanceof Promise ? opened.then(orDamaged) : orDamaged(opened)
    },
  }
}

const orDamaged = (value: Buffer | undefined): Opened => value ?? 'damaged'
