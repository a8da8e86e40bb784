import type { ValkeyNode } from 'model-cache/internal'

/** The fields of `INFO`; undefined if the server forbids it. */
export type Info = ReadonlyMap<string, string> | undefined

/** @throws StoreError */
export async function infoOf(node: ValkeyNode): Promise<Info> {
  try {
    const text = String(await node.call('INFO'))
    return new Map(Array.from(text.matchAll(/^(\w+):(.*?)\r?$/gm), ([, name, value]) => [name!, value!]))
  } catch (error) {
    if ((error as { code?: unknown }).code === 'E_STORE_FORBIDDEN') return undefined
    throw error
  }
}
