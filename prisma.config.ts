import { defineConfig } from 'prisma/config'

const url = process.env.DATABASE_URL ?? ''
/** Each kind of database has a schema and migrations. */
const folder = url.startsWith('file:')
  ? 'prisma/sqlite'
  : /^(?:mysql|mariadb):/.test(url)
    ? 'prisma/mysql'
    : 'prisma'

export default defineConfig({
  schema: `${folder}/schema.prisma`,
  migrations: { path: `${folder}/migrations`, seed: 'npm run seed' },
  datasource: { url },
})
