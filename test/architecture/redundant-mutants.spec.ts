import { redundantOf } from '../../scripts/mutate/redundant.ts'

/** Mutants as Stryker's instrumenter makes them: what is replaced, by which mutator, by what. */
type Mutant = readonly [original: string, mutator: string, replacement: string]

/** @returns those that say nothing of their own, by what they put in place of what */
function redundantIn(text: string, mutants: readonly Mutant[]): string[] {
  const changes = mutants.map(([original, mutator, replacement]) => {
    const pos = text.indexOf(original)
    return { pos, end: pos + original.length, mutator, replacement, original }
  })
  return [...redundantOf(text, changes)].map(({ original, replacement }) => `${original} → ${replacement}`)
}

describe('mutants that are redundant', () => {
  it('are the opposites of comparisons, as these are always true and always false, too', () => {
    const mutants = ['a <= b', 'a >= b'].map((other) => ['a < b', 'EqualityOperator', other] as const)
    expect(redundantIn('const is = a < b', mutants)).toEqual(['a < b → a >= b'])
  })

  it('are what an operand does that is always true', () => {
    const mutants = (text: string): Mutant[] => [
      [text, 'LogicalOperator', text.replace('&&', '||')],
      [text, 'ConditionalExpression', 'true'],
      [text, 'ConditionalExpression', 'false'],
    ]
    const compared = 'a === 1 && b'
    expect(redundantIn(`const is = ${compared}`, mutants(compared))).toEqual([
      `${compared} → a === 1 || b`,
      `${compared} → true`,
    ])
    // Nothing makes an operand true that is no comparison.
    expect(redundantIn('const is = a && b', mutants('a && b'))).toEqual([])
  })

  it('are what an `if` does not do, if its condition does nothing', () => {
    const mutants: Mutant[] = [
      ['{ end() }', 'BlockStatement', '{}'],
      ['end()', 'CallExpression', ';'],
    ]
    expect(redundantIn('if (set.has(a)) { end() }', mutants)).toHaveLength(2)
    // The call is what the block does, and the condition is `false` without the call of `add`.
    expect(redundantIn('if (set.add(a)) { end() }', mutants)).toEqual(['{ end() } → {}'])
    expect(redundantIn('if (set.has(a)) { end() } else begin()', mutants)).toEqual(['{ end() } → {}'])
  })

  it('are blocks that return nothing where a function ends', () => {
    const mutants: Mutant[] = [['{ return undefined }', 'BlockStatement', '{}']]
    const inFunction = (body: string) => redundantIn(`function f() { ${body} }`, mutants)
    expect(inFunction('try { g() } catch { return undefined }')).toHaveLength(1)
    expect(inFunction('if (g()) return 1; else { return undefined }')).toHaveLength(1)
    expect(inFunction('if (g()) { return undefined } return 1')).toEqual([])
    expect(inFunction('for (const a of b) { return undefined }')).toEqual([])
  })
})
