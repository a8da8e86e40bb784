import { checksBehind } from '../compile.js'

const prelude = `
import type * as inspector from '@model-cache/inspector'
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <A, B>(is: Equal<A, B>) => is
type Part<T> = NonNullable<T> extends readonly (infer Item)[] ? Item : NonNullable<T>
type Root = Part<inspector.QueriesReport['roots']>
type Cache = inspector.ProcessCache
`
const { compiles } = checksBehind(prelude)

describe('the answers of the inspector', () => {
  it.concurrent.each([
    ['ResultFault', `Root['resultFaults']`],
    ['ShownModelQueries', `Root['models']`],
    ['ShownQuery', `inspector.ShownModelQueries['bypassed']`],
    ['ShownResult', `inspector.ShownModelQueries['results']`],
    ['SuggestionsReport', `Root['suggestions']`],
    ['SuggestedDefinition', `inspector.SuggestionsReport['definitions']`],
    ['SuggestedAddition', `inspector.SuggestedDefinition['additions']`],
    ['SuggestedResults', `inspector.SuggestionsReport['results']`],
    ['SuggestedModel', `inspector.SuggestedResults['models']`],
    ['HotStatus', `Cache['hot']`],
    ['QueryCoverage', `Cache['coverage']`],
    ['Layer', `keyof inspector.Figures['answered']`],
    ['MissReason', `keyof inspector.Figures['misses']`],
    ['FillOutcome', `keyof inspector.Figures['fills']`],
    ['AuditOutcome', `keyof inspector.Figures['audits']`],
  ])('have the exported name %s for a part of them', (name, part) =>
    compiles(`same<Part<${part}>, inspector.${name}>(true)`),
  )
})
