/** Parts of a key. */
export interface KeyModel {
  readonly namespace: string
  readonly name: string
  readonly fingerprint: string
  readonly idFields: readonly string[]
}

/** Keys of one text: checked and joined, with nothing looked up. */
export function compileOneKey({ namespace, name, fingerprint }: KeyModel): (id: unknown) => string {
  const before = `${namespace}:${name}:`
  const after = `:${fingerprint}`
  return (id) => before + checked(id) + after
}

/** Keys of two fields, whose names are known in advance. */
export function compileTwoFieldKey(model: KeyModel): (id: unknown) => string {
  const { namespace, name, fingerprint } = model
  const [first, second] = model.idFields as readonly [string, string]
  const before = `${namespace}:${name}:`
  const after = `:${fingerprint}`
  return (id) => {
    const fields = id as Record<string, unknown>
    return `${before}${escape(checked(fields[first]))}:${escape(checked(fields[second]))}${after}`
  }
}

/** Keys of any model: kind and parts of the id are determined for each key. */
export function keyAtEachCall(model: KeyModel, id: unknown): string {
  const { namespace, name, fingerprint, idFields } = model
  const parts =
    idFields.length === 1
      ? [checked(id)]
      : idFields.map((field) => escape(checked((id as Record<string, unknown>)[field])))
  return [namespace, name, ...parts, fingerprint].join(':')
}

function checked(part: unknown): string {
  if (typeof part === 'string') return part
  throw new TypeError(`An id is made of strings, and this is ${typeof part}.`)
}

/** Keeps `a:b` + `c` apart from `a` + `b:c`. */
const escape = (text: string): string => text.replaceAll('%', '%25').replaceAll(':', '%3A')
