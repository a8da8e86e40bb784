/** Stands for a model that nobody writes: its register is that of results that may be stale. No model has this name. */
export const lasting = '#lasting'

/** What registers are named after in place of their models: that of {@link lasting} has a name that a model may have. */
const renamed: ReadonlyMap<string, string> = new Map([
  [lasting, 'lasting'],
  ['lasting', lasting],
])

/** The name of the register of results that read a model, or of those that read its rows by the values of a field. */
export function registerNameOf(model: string, field?: string): string {
  const name = `${renamed.get(model) ?? model}.results`
  return field === undefined ? name : `${name}.${field}`
}

/** The model, or the tag, of a register by its name, also of one of single values; undefined for a cache of rows. */
export function modelOfRegister(name: string): string | undefined {
  const found = /^(.+?)\.results(?:\..+)?$/.exec(name)?.[1]
  return found === undefined ? undefined : (renamed.get(found) ?? found)
}
