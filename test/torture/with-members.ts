/** The same object with other members for some of its own. */
export function withMembers<T extends object>(target: T, members: Partial<T>): T {
  return new Proxy(target, {
    get(_, name) {
      if (name in members) return members[name as keyof T]
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? (member.bind(target) as unknown) : member
    },
  })
}
