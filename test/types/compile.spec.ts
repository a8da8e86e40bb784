import { diagnosticsOf } from './compile.js'

describe('diagnosticsOf', () => {
  it('reports nothing about a module that compiles', () => {
    expect(diagnosticsOf(`export const n: number = 1`)).toEqual([])
  })

  it('reports each error with its line', () => {
    const source = `
      const n: number = 'text'
      const s: string = 'text'
      const b: boolean = { a: 1 }.b`
    expect(diagnosticsOf(source)).toEqual([
      "2: Type 'string' is not assignable to type 'number'.",
      "4: Property 'b' does not exist on type '{ a: number; }'.",
    ])
  })

  it('checks each module on its own', () => {
    expect(diagnosticsOf(`const n: number = ''`)).toHaveLength(1)
    expect(diagnosticsOf(`const s: string = ''`)).toEqual([])
  })

  it('is as strict as the repository', () => {
    const source = `
      const list: string[] = []
      export const first: string = list[0]
      export const length = (x) => x.length`
    expect(diagnosticsOf(source)).toEqual([
      expect.stringMatching(/^3: Type 'string \| undefined' is not assignable/),
      "4: Parameter 'x' implicitly has an 'any' type.",
    ])
  })

  it('reports syntax errors', () => {
    expect(diagnosticsOf('const = 1')).toContain('1: Variable declaration expected.')
  })

  it('accepts an expected error and reports a missing one', () => {
    expect(diagnosticsOf(`// @ts-expect-error\nexport const n: number = ''`)).toEqual([])
    expect(diagnosticsOf(`// @ts-expect-error\nexport const n: number = 1`)).toEqual([
      "1: Unused '@ts-expect-error' directive.",
    ])
  })

  it('resolves packages and the library by its public names', () => {
    const source = `
      import { type } from 'arktype'
      import * as library from 'model-cache'
      import * as codec from 'model-cache/codec'
      export const row = type({ id: 'string', at: 'Date' }).infer satisfies { id: string; at: Date }
      export const parts = [library, codec]`
    expect(diagnosticsOf(source)).toEqual([])
    expect(diagnosticsOf(`import { nothing } from 'model-cache'`)).toEqual([
      expect.stringContaining("has no exported member 'nothing'"),
    ])
    expect(diagnosticsOf(`import 'model-cache/no-such-entry'`)).toHaveLength(1)
  })
})
