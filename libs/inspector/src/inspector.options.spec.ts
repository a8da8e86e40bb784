import { validPath } from './inspector.options.js'

describe('the path of the inspector', () => {
  it.each(['admin/inspector', '/admin/inspector', 'admin/inspector/', '///admin/inspector//'])(
    'may have slashes around it: %s',
    (path) => {
      expect(validPath(path)).toBe('admin/inspector')
    },
  )

  it.each(['', '/', 'a//b', 'a b', ':id', '*', '../a?', 5, undefined])('is not %p', (path) => {
    expect(() => validPath(path)).toThrow('option "path" is')
  })
})
