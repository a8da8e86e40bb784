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

/** Compresses, encrypts, or does both; undefined if there is nothing to do. */
export function createValueForm(
  compression: Compression | undefined,
  encryption: Encryption | undefined,
): ValueForm | undefined {
  if (!encryption) return compression && compressedForm(compression)
  return compression ? compressedAndEncrypted(compression, encryption) : encryptedForm(encryption)
}

function encryptedForm(encryption: Encryption): ValueForm {
  return {
    name: 'aes-256-gcm.1',
    close: (key, value) => encryption.encrypt(value, Buffer.from(key)),
    open: (key, value) => encryption.decrypt(value, Buffer.from(key)),
  }
}

function compressedForm(compression: Compression): ValueForm {
  return {
    name: 'zstd.1',
    close: (_, value) => compression.compress(value),
    open: (_, value) => decompressed(compression, value),
  }
}

function compressedAndEncrypted(compression: Compression, encryption: Encryption): ValueForm {
  return {
    name: 'zstd.1 aes-256-gcm.1',
    close(key, value) {
      const context = Buffer.from(key)
      const compressed = compression.compress(value)
      return compressed instanceof Promise
        ? compressed.then((bytes) => encryption.encrypt(bytes, context))
        : encryption.encrypt(compressed, context)
    },
    open(key, value) {
      const decrypted = encryption.decrypt(value, Buffer.from(key))
      return typeof decrypted === 'string' ? decrypted : decompressed(compression, decrypted)
    },
  }
}

function decompressed(compression: Compression, bytes: Buffer): Opened | Promise<Opened> {
  const value = compression.decompress(bytes)
  return value instanceof Promise ? value.then(orDamaged) : orDamaged(value)
}

const orDamaged = (value: Buffer | undefined): Opened => value ?? 'damaged'
