import type { Actions, Show } from './inspection.js'
import { permissionsOf, verifyPermissions } from './permissions.js'

const users = { name: 'User', root: null }
const billed = { name: 'User', root: 'billing' }

describe('the option show', () => {
  const isShown = (show: Show | undefined, cache: typeof users | typeof billed, field: string) =>
    permissionsOf(show === undefined ? {} : { show }).isShown(cache, field)

  it('masks every field by default', () => {
    expect(isShown(undefined, users, 'name')).toBe(false)
    expect(isShown([], users, 'name')).toBe(false)
    expect(isShown({}, users, 'name')).toBe(false)
  })

  it('shows listed fields of all caches', () => {
    expect(isShown(['name'], users, 'name')).toBe(true)
    expect(isShown(['name'], billed, 'name')).toBe(true)
    expect(isShown(['name'], users, 'email')).toBe(false)
  })

  it('shows fields by cache, and by root', () => {
    const show = { User: ['name'], 'billing:User': '*' } as const
    expect(isShown(show, users, 'name')).toBe(true)
    expect(isShown(show, users, 'email')).toBe(false)
    expect(isShown(show, billed, 'email')).toBe(true)
    expect(isShown({ User: ['name'] }, billed, 'name')).toBe(false)
  })

  it('takes no property of objects for a cache', () => {
    expect(isShown({}, { name: 'constructor', root: null }, 'name')).toBe(false)
  })
})

describe('the option actions', () => {
  const allowedActions = (actions: Actions | undefined, cache: typeof users | typeof billed) =>
    permissionsOf(actions === undefined ? {} : { actions }).actionsOf(cache)

  it('allows nothing by default', () => {
    expect(allowedActions(undefined, users)).toEqual([])
    expect(allowedActions({}, users)).toEqual([])
  })

  it('allows what is listed, for all caches or by cache', () => {
    expect(allowedActions(['invalidate'], users)).toEqual(['invalidate'])
    expect(allowedActions({ User: ['invalidateAll'] }, users)).toEqual(['invalidateAll'])
    expect(allowedActions({ User: ['invalidateAll'] }, billed)).toEqual([])
  })
})

describe('verifyPermissions', () => {
  const messageOf = (permissions: object) => {
    try {
      verifyPermissions(permissions, [users, billed])
    } catch (error) {
      return (error as Error).message
    }
    return undefined
  }

  it('accepts what exists', () => {
    expect(messageOf({})).toBeUndefined()
    expect(messageOf({ show: ['name'], actions: ['invalidate', 'invalidateAll'] })).toBeUndefined()
    expect(messageOf({ show: { User: '*' }, actions: { 'billing:User': ['invalidate'] } })).toBeUndefined()
  })

  it('names an unknown cache, and those that exist', () => {
    const message = (option: string) =>
      `model-cache: option "${option}" names the cache "Usr", and this application has User, billing:User.`
    expect(messageOf({ show: { Usr: ['name'] } })).toContain(message('show'))
    expect(messageOf({ actions: { Usr: ['invalidate'] } })).toContain(message('actions'))
  })

  it.each([
    [{ actions: ['delete'] }, 'option "actions" is an array of 1; expected a list of \'invalidate\''],
    [{ actions: 'invalidate' }, 'option "actions" is "invalidate"; expected a list of'],
    [{ actions: { User: '*' } }, 'option "actions.User" is "*"; expected a list of'],
    [{ show: '*' }, 'option "show" is "*"; expected a list of fields'],
    [{ show: ['*'] }, 'option "show" is an array of 1; expected a list of fields'],
    [{ show: [5] }, 'option "show" is an array of 1; expected a list of fields'],
    [{ actions: ['invalidate', 'delete'] }, 'option "actions" is an array of 2; expected a list of'],
    [{ show: { User: 'name' } }, 'option "show.User" is "name"; expected a list of fields'],
    [{ show: null }, 'option "show" is null; expected a list of fields'],
  ])('refuses %j', (permissions, message) => {
    expect(messageOf(permissions)).toContain(message)
  })
})
