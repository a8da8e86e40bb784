import { isKeyKind, type KeyField } from '../format/lookup-key.js'

/** What a writer needs to know of a lookup to invalidate its entries. */
export interface LookupDescription {
  readonly name: string
  /** A hash of its definition, which is part of the keys of its entries. */
  readonly fingerprint: string
  /** The fields of its key; undefined if a newer version described it in a way that this one cannot follow. */
  readonly key: readonly KeyField[] | undefined
  /** The fields besides the key whose change may let a row enter or move. */
  readonly watched: readonly string[]
  /** The implicit many-to-many relation that its rows belong to it by; the key is then that of the row at the other side. */
  readonly through?: string | undefined
}

/** The fields of a row whose change may let it enter an entry of the lookup, or move in it. */
export function ownFieldsOf({ key = [], through, watched }: LookupDescription): readonly string[] {
  return through === undefined ? [...new Set([...key.map(({ name }) => name), ...watched])] : watched
}

/** Returns a description as part of an entry of the catalogue. */
export function lookupToJson({ name, fingerprint, key, watched, through }: LookupDescription): unknown {
  return {
    kind: through === undefined ? 'fields' : 'relation',
    name,
    print: fingerprint,
    key: key?.map((field) => [field.name, field.kind, field.folds]),
    watched,
    ...(through !== undefined && { through }),
  }
}

/** Parses a description, as far as this version understands it. @throws TypeError if it is not one */
export function lookupFromJson(json: unknown): LookupDescription {
  const { kind, name, print: fingerprint, key, watched, through } = Object(json) as Record<string, unknown>
  if (typeof name !== 'string' || typeof fingerprint !== 'string') throw new TypeError('not a lookup')
  const isFollowed =
    Array.isArray(key) && key.every(isKeyField) && Array.isArray(watched) && watched.every(isText)
  if (isFollowed && kind === 'fields') return { name, fingerprint, key: key.map(keyFieldOf), watched }
  if (isFollowed && kind === 'relation' && isText(through))
    return { name, fingerprint, key: key.map(keyFieldOf), watched, through }
  return { name, fingerprint, key: undefined, watched: [] }
}

type JsonKeyField = [name: string, kind: KeyField['kind'], folds: boolean]

function isKeyField(json: unknown): json is JsonKeyField {
  return Array.isArray(json) && isText(json[0]) && isKeyKind(json[1]) && typeof json[2] === 'boolean'
}

function keyFieldOf([name, kind, folds]: JsonKeyField): KeyField {
  return { name, kind, folds }
}

function isText(json: unknown): json is string {
  return typeof json === 'string'
}
