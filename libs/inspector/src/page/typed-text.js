/**
 * Returns an id or a key as the API takes it: the value itself if it has one field, otherwise JSON.
 *
 * @param values texts by the names of the fields
 */
export function typedText(fields, values) {
  if (fields.length === 1) return values[fields[0].name]
  return JSON.stringify(Object.fromEntries(fields.map(({ name }) => [name, values[name]])))
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
