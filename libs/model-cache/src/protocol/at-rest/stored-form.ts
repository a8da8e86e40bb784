import { createHash } from 'node:crypto'
import type { DescribedForm } from '../registry/cache-description.js'
import type { AtRest, HashId } from './at-rest.js'
import { Compression, hasZstd } from './compression.js'
import { createValueForm, type ValueForm } from './value-form.js'

/** How a cache stores its values, and what others need to know of that. */
export interface StoredForm {
  /** Part of its fingerprints, so that no process reads values of another form. */
  readonly name: string
  readonly values: ValueForm
  /** What stands for ids in keys; undefined for these themselves. */
  readonly hashId: HashId | undefined
  readonly described: DescribedForm
}

export interface StoredFormOptions {
  /** Undefined if nothing is encrypted. */
  readonly atRest: AtRest | undefined
  /** The models whose data the values hold. */
  readonly models: Iterable<string>
  /** Payloads of more bytes are compressed; undefined for none. */
  readonly compressAboveBytes: number | undefined
}

/** Returns undefined if values are stored as their codec writes them. */
export function storedForm({
  atRest,
  models,
  compressAboveBytes,
}: StoredFormOptions): StoredForm | undefined {
  const keys = atRest?.covers(models) ? atRest : undefined
  const isCompressed = compressAboveBytes !== undefined && hasZstd
  const compression = isCompressed ? new Compression(compressAboveBytes) : undefined
  const values = createValueForm(compression, keys?.encryption)
  if (!values) return undefined
  const hashedBy = keys?.hashedBy
  return {
    name: hashedBy === undefined ? values.name : `${values.name} hashed`,
    values,
    hashId: hashedBy === undefined ? undefined : keys?.hashIdOf(hashedBy),
    described: { isEncrypted: keys !== undefined, isCompressed, hashedBy },
  }
}

/** How values that a cache describes are read and written; undefined if that needs keys, which there are not. */
export function valueFormOf(
  { isCompressed, isEncrypted }: DescribedForm,
  atRest: AtRest | undefined,
): ValueForm | undefined {
  if (isEncrypted && !atRest) return undefined
  return createValueForm(
    isCompressed ? new Compression(Infinity) : undefined,
    isEncrypted ? atRest?.encryption : undefined,
  )
}

/** The fingerprint of the same values in a form. It is as long as that of a codec. */
export function formedFingerprint(fingerprint: string, { name }: Pick<StoredForm, 'name'>): string {
  return createHash('sha256').update(`${fingerprint} ${name}`).digest().subarray(0, 8).toString('base64url')
}
