import { parseISO } from 'date-fns'
import type { WirePlan } from 'model-cache/codec'
import { Decimal } from '../../harness/fixtures/fixture.ts'

type Revive = (text: string) => unknown

/** By kind of value. */
export type Revivers = Readonly<Record<string, Revive>>

const others: Revivers = {
  decimal: (text) => new Decimal(text),
  bigint: (text) => BigInt(text),
  bytes: (text) => new Uint8Array(Buffer.from(text, 'base64')),
}

/** The two ways to parse ISO dates. */
export const DATES = {
  parseISO: { ...others, date: (text: string) => parseISO(text) },
  Date: { ...others, date: (text: string) => new Date(text) },
} as const satisfies Record<string, Revivers>

/** Restores the values at declared places, in place, without checks. */
export type Walk = (value: unknown) => unknown

export interface TrieNode {
  readonly revive?: Revive
  readonly children?: readonly (readonly [name: string, node: TrieNode])[]
  /** For every element of an array. */
  readonly elements?: TrieNode
}

/** The places of a plan that need a reviver; undefined where none does. */
export function trieOf(plan: WirePlan, revivers: Revivers): TrieNode | undefined {
  if (plan.kind === 'object') {
    const children = plan.fields.flatMap((field) => {
      const node = trieOf(field.plan, revivers)
      return node ? [[field.name, node] as const] : []
    })
    return children.length > 0 ? { children } : undefined
  }
  if (plan.kind === 'array') {
    const elements = trieOf(plan.items, revivers)
    return elements && { elements }
  }
  const revive = revivers[plan.kind]
  return revive && { revive }
}

/** Walks with one function for all nodes. */
export function walkTrie(node: TrieNode, value: unknown): unknown {
  if (value === null || value === undefined) return value
  if (node.revive) return node.revive(value as string)
  if (node.elements) {
    const array = value as unknown[]
    for (let i = 0; i < array.length; i++) array[i] = walkTrie(node.elements, array[i])
    return array
  }
  const parent = value as Record<string, unknown>
  for (const [name, child] of node.children!) parent[name] = walkTrie(child, parent[name])
  return parent
}

/** Compiles the walk to straight-line code. */
export function compileWalk(root: TrieNode): Walk {
  const revivers: Revive[] = []
  let variables = 0
  const statements = (node: TrieNode, place: string): string => {
    const value = `v${variables++}`
    return `const ${value} = ${place}\nif (${value} !== null && ${value} !== undefined) {\n${inside(node, place, value)}\n}`
  }
  const inside = ({ revive, elements, children }: TrieNode, place: string, value: string): string => {
    if (revive) return `${place} = revivers[${revivers.push(revive) - 1}](${value})`
    if (elements) {
      const i = `i${variables++}`
      return `for (let ${i} = 0; ${i} < ${value}.length; ${i}++) {\n${statements(elements, `${value}[${i}]`)}\n}`
    }
    return children!.map(([name, child]) => statements(child, `${value}[${JSON.stringify(name)}]`)).join('\n')
  }
  const source = statements(root, 'root')
  // oxlint-disable-next-line no-new-func -- generated code is measured here
  return new Function('revivers', `return (root) => {\n${source}\nreturn root\n}`)(revivers) as Walk
}
