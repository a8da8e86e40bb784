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

/** Returns the value of a setting by `CONFIG GET`; undefined if the server does not say, as managed ones do not. */
export async function settingOf(node: ValkeyNode, setting: string): Promise<string | undefined> {
  const reply = await node.call('CONFIG', 'GET', setting).catch(() => undefined)
  const [, value] = Array.isArray(reply) ? (reply as unknown[]) : []
  return typeof value === 'string' ? value : undefined
}
