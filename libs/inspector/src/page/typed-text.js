/**
 * Returns an id or a key as the API takes it: the value itself if it has one field, otherwise JSON. Blanks around a text are a part of it.
 *
 * @param values texts by the names of the fields
 */
export function typedText(fields, values) {
  const valueOf = ({ kind, name }) => (formOf(kind) ? values[name].trim() : values[name])
  if (fields.length === 1) return valueOf(fields[0])
  return JSON.stringify(Object.fromEntries(fields.map((field) => [field.name, valueOf(field)])))
}

const FORMS = {
  uuid: 'a UUID',
  number: 'a number',
  bigint: 'a whole number',
  boolean: 'true or false',
  date: 'a time, such as 2026-05-01T18:00:00Z',
  day: 'a day, such as 2026-05-01',
  decimal: 'a number, such as 12.50',
  bytes: 'bytes in hex, such as 00ff',
}

/** What a field of a kind takes; empty for any text. */
export const formOf = (kind) => FORMS[kind] ?? ''
