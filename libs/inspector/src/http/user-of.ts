const FIELDS = ['id', 'email', 'name', 'username', 'sub']

/** Returns who makes a request, by the `user` that a guard has put into it. */
export function userOf(request: object): string {
  const { user } = request as { user?: unknown }
  if (typeof user === 'string') return user
  const values = FIELDS.map((field) => (user as Record<string, unknown> | null | undefined)?.[field])
  const name = values.find(
    (value) => (typeof value === 'string' && value !== '') || typeof value === 'number',
  )
  return name === undefined ? 'unknown' : String(name)
}
