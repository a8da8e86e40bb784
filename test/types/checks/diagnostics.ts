import { diagnosticsOf } from '../compile.js'

describe('diagnosticsOf', () => {
  it.concurrent('reports nothing about a module that compiles', async () => {
    expect(await diagnosticsOf(`export const n: number = 1`)).toEqual([])
  })

  it.concurrent('reports each error with its line', async () => {
    const source = `
      const n: number = 'text'
      const s: string = 'text'
      const b: boolean = { a: 1 }.b`
    expect(await diagnosticsOf(source)).toEqual([
      "2: Type 'string' is not assignable to type 'number'.",
      "4: Property 'b' does not exist on type '{ a: number; }'.",
    ])
  })

  it.concurrent('checks each module on its own', async () => {
    expect(await diagnosticsOf(`const n: number = ''`)).toHaveLength(1)
    expect(await diagnosticsOf(`const s: string = ''`)).toEqual([])
  })

  it.concurrent('is as strict as the repository', async () => {
    const source = `
      const list: string[] = []
      export const first: string = list[0]
      export const length = (x) => x.length`
    expect(await diagnosticsOf(source)).toEqual([
      expect.stringMatching(/^3: Type 'string \| undefined' is not assignable/),
      "4: Parameter 'x' implicitly has an 'any' type.",
    ])
  })

  it.concurrent('reports syntax errors', async () => {
    expect(await diagnosticsOf('const = 1')).toContain('1: Variable declaration expected.')
  })

  it.concurrent('accepts an expected error and reports a missing one', async () => {
    expect(await diagnosticsOf(`// @ts-expect-error\nexport const n: number = ''`)).toEqual([])
    expect(await diagnosticsOf(`// @ts-expect-error\nexport const n: number = 1`)).toEqual([
      "1: Unused '@ts-expect-error' directive.",
    ])
  })

  it.concurrent('resolves packages and the library by its public names', async () => {
    const source = `
      import { type } from 'arktype'
      import * as library from 'model-cache'
      import * as codec from 'model-cache/codec'
      export const row = type({ id: 'string', at: 'Date' }).infer satisfies { id: string; at: Date }
      export const parts = [library, codec]`
    expect(await diagnosticsOf(source)).toEqual([])
    expect(await diagnosticsOf(`import { nothing } from 'model-cache'`)).toEqual([
      expect.stringContaining("has no exported member 'nothing'"),
    ])
    expect(await diagnosticsOf(`import 'model-cache/no-such-entry'`)).toHaveLength(1)
  })
})
