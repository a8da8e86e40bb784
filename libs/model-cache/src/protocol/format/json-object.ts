/** The properties of a JSON text, which anybody may have written; undefined if it is no JSON. */
export function jsonObjectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>
  } catch {
    return undefined
  }
}
