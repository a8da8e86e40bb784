/** Why a write was not committed: the error of the caches, which Prisma would turn into one of its own. */
export class RefusedCommit extends Error {
  constructor(cause: unknown) {
    super('The write was not committed, because its rows could not be fenced.', { cause })
  }
}

export function refuseCommit(error: unknown): never {
  throw new RefusedCommit(error)
}
