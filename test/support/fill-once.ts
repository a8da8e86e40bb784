import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Has a folder filled on the first call ever. Until it is whole it has another name, so whoever sees the folder sees
 * all of it: many processes may ask at the same time, and any may die while it fills.
 */
export async function fillOnce(folder: string, fill: (empty: string) => Promise<void>): Promise<void> {
  if (existsSync(folder)) return
  await mkdir(dirname(folder), { recursive: true })
  const partial = await mkdtemp(`${folder}.`)
  try {
    await fill(partial)
    await rename(partial, folder)
  } catch (error) {
    // Another process has been faster, and a folder with files in it is not replaced.
    if (!existsSync(folder)) throw error
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}
