/** The name of the register of results that read a model, or of those that read its rows by the values of a field. */
export function registerNameOf(model: string, field?: string): string {
  return field === undefined ? `${model}.results` : `${model}.results.${field}`
}

/** The model, or the tag, of a register by its name, also of one of single values; undefined for a cache of rows. */
export function modelOfRegister(name: string): string | undefined {
  return /^(.+?)\.results(?:\..+)?$/.exec(name)?.[1]
}
