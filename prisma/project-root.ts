import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Returns the folder of prisma/ and .data/. Independent of the working directory, since this code runs from prisma/, from
 * dist/prisma/ and in the Docker image.
 */
export function projectRoot(from: string = import.meta.dirname): string {
  if (existsSync(join(from, 'prisma', 'schema.prisma'))) return from
  const parent = dirname(from)
  if (parent === from)
    throw new Error(
      `No prisma/schema.prisma found above ${import.meta.dirname}. Check that the project is complete.`,
    )
  return projectRoot(parent)
}
