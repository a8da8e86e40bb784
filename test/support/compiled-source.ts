import { jest } from '@jest/globals'
import { FunctionWriter } from '../../libs/model-cache/src/codec/function-writer.js'

/** Returns the source of the last function that a call compiles, which is the outermost one: without those of nested containers. */
export function compiledSource(run: () => unknown): string {
  let source = ''
  const { compile } = FunctionWriter.prototype
  const compiling = jest.spyOn(FunctionWriter.prototype, 'compile').mockImplementation(function (
    this: FunctionWriter,
    parameter,
  ) {
    source = this.source(parameter)
    return compile.call(this, parameter)
  })
  run()
  compiling.mockRestore()
  return source
}
