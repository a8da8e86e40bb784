import { reasonOf } from './reason-of.ts'

describe('the reason of a failed build', () => {
  it('is the line that names the error, not what stands around it', () => {
    const output = [
      'gyp info using node-gyp@11.4.2',
      'gyp ERR! configure error',
      'gyp ERR! stack Error: Could not find any Python installation to use',
      'gyp ERR! stack at PythonFinder.fail (find-python.js:306:11)',
    ].join('\n')
    expect(reasonOf(output)).toBe('Error: Could not find any Python installation to use')
  })

  it('is the first error of a compiler', () => {
    expect(
      reasonOf('make: Entering directory\nfoo.cpp:3:1: fatal error: no such file\nmake: *** failed'),
    ).toBe('foo.cpp:3:1: fatal error: no such file')
  })

  it('is the first line where none looks like an error', () => {
    expect(reasonOf('\nnothing to see\nat all')).toBe('nothing to see')
    expect(reasonOf('')).toBe('no reason given')
  })
})
