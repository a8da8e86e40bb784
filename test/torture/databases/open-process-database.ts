import type { ProcessDatabase } from './process-database.ts'

/** Opens the database of a URL, and loads its drivers alone. */
export async function openProcessDatabase(url: string): Promise<ProcessDatabase> {
  if (url.startsWith('postgres')) return (await import('./postgresql-process.ts')).processDatabase(url)
  return (await import('./mariadb-process.ts')).processDatabase(url)
}
