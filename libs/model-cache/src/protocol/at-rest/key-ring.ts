import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { atRestKeysError } from '../../configuration-errors.js'

/** A key that values in the store are encrypted with. */
export interface AtRestKey {
  /** Stands in each value, so that readers find its key: 1 to 32 letters, digits, "-", "_" and ".". It is no secret. */
  readonly id: string
  /** 32 random bytes, or their base64. */
  readonly key: Uint8Array | string
}

/** What subkeys are for: the same bytes are never the key of two things. */
export type KeyPurpose = 'values' | 'messages' | 'keys'

/** Bytes of a key of AES-256. */
const keyLength = 32

/**
 * Keys by their ids, as objects of the crypto library: nothing that prints this object, or a part of it, shows a key.
 * Each use of a key has a subkey of its own, derived by HKDF-SHA-256.
 */
export class KeyRing {
  /** The id of the key that encrypts. All of them decrypt. */
  readonly firstId: string
  readonly #roots: ReadonlyMap<string, KeyObject>

  /** @throws ConfigurationError that names no key */
  constructor(keys: readonly AtRestKey[]) {
    if (!Array.isArray(keys) || keys.length === 0)
      throw atRestKeysError('there is none', 'Give at least one, as [{ id: "2026-11", key }]')
    const roots = new Map<string, KeyObject>()
    for (const given of keys as readonly (Partial<AtRestKey> | undefined)[]) {
      const id = validId(given?.id)
      if (roots.has(id))
        throw atRestKeysError(
          `two have the id "${id}"`,
          'Give each key an id that no other key has, or ever had',
        )
      roots.set(id, createSecretKey(bytesOf(id, given?.key)))
    }
    this.#roots = roots
    ;[this.firstId = ''] = roots.keys()
  }

  /** The key of a purpose and a salt; undefined for an id that no key has. */
  subkey(id: string, purpose: KeyPurpose, salt: Uint8Array): KeyObject | undefined {
    const root = this.#roots.get(id)
    return (
      root &&
      createSecretKey(Buffer.from(hkdfSync('sha256', root, salt, `model-cache ${purpose}`, keyLength)))
    )
  }
}

function validId(id: unknown): string {
  if (typeof id === 'string' && /^[\w.-]{1,32}$/.test(id)) return id
  throw atRestKeysError(
    'one has no valid id',
    'An id is 1 to 32 letters, digits, "-", "_" and ".", as "2026-11"',
  )
}

function bytesOf(id: string, key: unknown): Uint8Array {
  const bytes = typeof key === 'string' ? fromBase64(key) : key
  if (bytes instanceof Uint8Array && bytes.length === keyLength) return bytes
  const problem = bytes instanceof Uint8Array ? `has ${bytes.length} bytes` : 'is neither bytes nor base64'
  throw atRestKeysError(
    `that of the id "${id}" ${problem}`,
    'A key is 32 random bytes, or their base64, as `openssl rand -base64 32` prints it',
  )
}

/** Undefined for a text that is no base64: Node would leave out what it does not know. */
function fromBase64(text: string): Uint8Array | undefined {
  return /^[\w+/-]+={0,2}$/.test(text.trim()) ? Buffer.from(text, 'base64') : undefined
}
