import type { DatabaseAccess } from '../../databases/database-access.ts'
import type { PodDatabase } from './pod-database.ts'

const openers = {
  postgresql: async (access: DatabaseAccess) => (await import('./postgresql.ts')).open(access),
  mariadb: async (access: DatabaseAccess) => (await import('./mariadb.ts')).open(access),
  sqlite: async (access: DatabaseAccess) => (await import('./sqlite.ts')).open(access),
}

export const openPodDatabase = (access: DatabaseAccess): Promise<PodDatabase> => openers[access.name](access)
