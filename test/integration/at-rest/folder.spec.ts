import { runFolder } from '../../support/folder-suite.ts'

await runFolder(import.meta.url)
